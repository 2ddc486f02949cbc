import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// What a refresh token that is shown for a browser comes to when it is old, and its proof when it
/// comes again (WireContract 5.3 and 9.6, Security 4.2 and 4.10).
@Suite("Shown refresh tokens over HTTP") struct AppSessionReuseTests {
    @Test("attack: an old generation ends the session, and whom it let in, once") func old()
        async throws
    {
        let web = try await WebSide()
        try await App2AppTests.configure(web, .init(cascades: true))
        try await BiometricTests.User.allowFullAccess(web)
        let owner = try await App2AppTests.Owner(web, scope: AppSessionTokenTests.scope)
        let code = try #require(try await owner.approve(owner.jwt())["code"]?.string)
        let guest = try #require(try await owner.redeem(code)["refresh_token"]?.string)
        let next = try await DPoPTests.refresh(web, owner.refreshToken)
        #expect(next.status == 200)
        web.side.clock.advance(seconds: 31)
        let before = web.commits
        let reuse = try await AppSessionTokenTests.ask(web, owner.refreshToken)
        #expect(reuse.word == "403 InvalidGrant")
        #expect(reuse.refusal?.id == "RT-004")
        let events = web.newestEvents(after: before)
        #expect(
            events.prefix(2) == [
                .offlineGrant(
                    .reuseDetected(
                        family: 1,
                        client: Sample.client("app"),
                        presentedGeneration: 1
                    )
                ), .offlineGrant(.revoked(.reuse)),
            ]
        )
        #expect(events.dropFirst(2) == [.offlineGrant(.revoked(.cascade))])
        let token = try #require(next["refresh_token"]?.string)
        try await web.expectNothingRecorded {
            let answers = [
                try await AppSessionTokenTests.ask(web, owner.refreshToken),
                try await AppSessionTokenTests.ask(web, token),
            ]
            #expect(answers.map(\.word) == ["403 InvalidGrant", "403 InvalidGrant"])
            let refreshes = [
                try await DPoPTests.refresh(web, token),
                try await NativeSSOTests.refresh(web, guest, client: "other"),
            ]
            #expect(refreshes.map(\.word) == ["400 invalid_grant", "400 invalid_grant"])
        }
    }

    @Test("a script of a client's origin may ask, of another not", arguments: [true, false])
    func crossOrigin(_ isClients: Bool) async throws {
        let web = try await WebSide()
        let origin = isClients ? "https://app.example.com" : "https://evil.example"
        let path = AppSessionTokenTests.path
        let headers = [("origin", origin)]
        let preflight = try await web.send(.options, path, fields: headers)
        let answer = try await web.send(.post, path, fields: headers)
        for each in [preflight, answer] {
            let allowed = each.field("Access-Control-Allow-Origin")
            #expect(allowed == (isClients ? [origin] : []))
            #expect(each.field("Access-Control-Allow-Credentials") == (isClients ? ["true"] : []))
        }
    }

    @Test("within the grace the one before is no reuse, and shows nothing old") func grace()
        async throws
    {
        let web = try await WebSide()
        let refresh = try await AppSessionTokenTests.tokens(web).refresh
        #expect(try await DPoPTests.refresh(web, refresh).status == 200)
        #expect(try await AppSessionTokenTests.ask(web, refresh).status == 200)
    }

    @Test("attack: a bound refresh token without its key") func unproven() async throws {
        let web = try await WebSide()
        let phone = try Phone()
        let refresh = try await AppSessionTokenTests.boundToken(web, to: phone)
        let reason = { (headers: KeyValuePairs<String, String>) in
            try await web.expectNothingRecorded {
                try await AppSessionTokenTests.ask(web, refresh, headers)["error"]?["reason"]?
                    .string
            }
        }
        #expect(try await reason([:]) == "InvalidDPoPKeyBinding")
        let other = try AppSessionTokenTests.proof(by: Phone(), "b")
        #expect(try await reason(["dpop": other]) == "InvalidDPoPKeyBinding")
        #expect(try await reason(["dpop": try AppSessionTokenTests.proof(by: phone, "c")]) == nil)
    }

    @Test("attack: a proof that comes again, and fifty times at once") func proof() async throws {
        let web = try await WebSide()
        let phone = try Phone()
        let refresh = try await AppSessionTokenTests.boundToken(web, to: phone)
        let used = try AppSessionTokenTests.proof(by: phone, "1")
        #expect(try await AppSessionTokenTests.ask(web, refresh, ["dpop": used]).status == 200)
        let replay = try await web.expectNothingRecorded {
            try await AppSessionTokenTests.ask(web, refresh, ["dpop": used])
        }
        #expect(replay.word == "403 InvalidDPoPKeyBinding")
        let once = try AppSessionTokenTests.proof(by: phone, "2")
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await AppSessionTokenTests.ask(web, refresh, ["dpop": once]).status
                }
            }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(statuses == [200: 1, 403: 49])
    }

    @Test("attack: the places of all, filled by proofs of keys that cost nothing") func unbound()
        async throws
    {
        let web = try await WebSide()
        let refresh = try await AppSessionTokenTests.tokens(web).refresh
        let proof = try AppSessionTokenTests.proof(by: Phone(), "1")
        // None is remembered: the same one again is as good, and keeps nobody's place.
        for _ in 1...2 {
            let answer = try await AppSessionTokenTests.ask(web, refresh, ["dpop": proof])
            #expect(answer.status == 200)
        }
    }

    @Test("attack: a proof that one grant has spent, at another; and at PAR, fifty at once")
    func spentElsewhere() async throws {
        let web = try await WebSide()
        let phone = try Phone()
        let proof = try DPoPTests.proof(phone, "1")
        let session = try await DPoPTests.redeem(web, proof: proof, scope: NativeSSOTests.scope)
        let form = try NativeSSOTests.form(session).map { "\($0.0)=\($0.1)" }
        let answer = try await web.expectNothingRecorded {
            try await web.post(
                "/oauth2/token",
                form.joined(separator: "&"),
                ["dpop": proof]
            )
        }
        #expect(answer.word == "400 invalid_dpop_proof")
        let payload = DPoPTests.payload("2", at: PushedRequestTests.endpoint)
        let pushed = try phone.jwt(phone.header("dpop+jwt"), payload)
        let before = web.commits
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await PushedRequestTests.push(web, [:], ["dpop": pushed]).status
                }
            }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(statuses == [201: 1, 400: 49])
        #expect(web.commits == before + 1)
    }

    @Test("a guest's reuse ends the guest and the secret it was given, and the session goes on")
    func guest()
        async throws
    {
        let web = try await WebSide()
        let session = try await NativeSSOTests.session(web)
        let guest = try await NativeSSOTests.send(web, try NativeSSOTests.form(session))
        let old = guest["refresh_token"]?.string
        _ = try await NativeSSOTests.refresh(web, old, client: "invest")
        web.side.clock.advance(seconds: 31)
        let before = web.commits
        let reuse = try await NativeSSOTests.refresh(web, old, client: "invest")
        #expect(reuse.word == "400 invalid_grant")
        let client = Sample.client("invest")
        #expect(
            web.newestEvents(after: before) == [
                .offlineGrant(
                    .reuseDetected(family: 2, client: client, presentedGeneration: 1)
                ), .offlineGrant(.deviceSecretRevoked(generation: 2)),
                .offlineGrant(.clientLeft(client, .reuse)),
            ]
        )
        try await web.expectNothingRecorded {
            let again = try await NativeSSOTests.refresh(web, old, client: "invest")
            #expect(again.word == "400 invalid_grant")
        }
        let first = session["refresh_token"]?.string
        #expect(try await NativeSSOTests.refresh(web, first, client: "app").status == 200)
    }

    @Test("attack: an old token that never rotates away, by another key, is no reuse") func bound()
        async throws
    {
        let web = try await WebSide()
        var settings = web.side.project.settings
        settings.clients[0].refreshTokenRotation = .always
        try await web.side.apply(settings)
        let phone = try Phone()
        let born = try await DPoPTests.redeem(web, proof: DPoPTests.proof(phone, "born"))
        let old = try #require(born["refresh_token"]?.string)
        let own = try DPoPTests.proof(phone, "own")
        let next = try await DPoPTests.refresh(web, old, ["dpop": own])
        let token = try #require(next["refresh_token"]?.string, "\(next.body)")
        web.side.clock.advance(seconds: 31)
        try await web.expectNothingRecorded {
            for proof in [nil, try DPoPTests.proof(Phone(), "thief")] {
                let headers: KeyValuePairs<String, String> = proof.map { ["dpop": $0] } ?? [:]
                let answer = try await DPoPTests.refresh(web, old, headers)
                #expect(answer.word == "400 invalid_dpop_proof")
            }
        }
        let again = try DPoPTests.proof(phone, "again")
        #expect(try await DPoPTests.refresh(web, token, ["dpop": again]).status == 200)
    }
}
