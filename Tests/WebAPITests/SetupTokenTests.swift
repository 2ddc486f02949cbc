import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// With whose access token a biometric key is set up (WireContract 5.5, Security 4.4), and
/// how a bound one is shown at the token endpoint (WireContract 9.1).
@Suite("Access tokens at the token endpoint") struct SetupTokenTests {
    private static func setUp(_ user: BiometricTests.User, after seconds: Int64 = 0)
        async throws -> Answer
    {
        let jwt = try user.jwt("setup") { members in
            members.setting("iat", .integer(BiometricTests.now + seconds))
                .setting("exp", .integer(BiometricTests.now + seconds + 60))
        }
        return try await user.setUp(jwt)
    }

    /// Two clients whose users may have keys, and the settings that say so.
    private static func twoWithKeys() async throws -> (web: WebSide, settings: ProjectSettings) {
        let web = try await WebSide()
        var settings = web.side.project.settings
        settings.clients[1].biometric = settings.clients[0].biometric
        try await web.side.apply(settings)
        return (web, settings)
    }

    @Test("attack: the token of a session that was revoked") func revoked() async throws {
        let user = try await BiometricTests.User(WebSide(), registered: false)
        _ = try await user.web.post("/oauth2/revoke", "token=\(user.refreshToken)")
        let answer = try await user.web.expectNothingRecorded { try await Self.setUp(user) }
        #expect(answer.word == "401 invalid_grant")
    }

    @Test("that a session has ended comes before what its token lacks: apps erase it on that")
    func narrowAndRevoked() async throws {
        let user = try await BiometricTests.User(WebSide(), registered: false)
        let narrow = try await DPoPTests.redeem(user.web, scope: "openid offline_access")
        let access = try #require(narrow["access_token"]?.string)
        let refresh = try #require(narrow["refresh_token"]?.string)
        let jwt = try user.jwt("setup")
        let early = try await user.setUp(jwt, token: access)
        #expect(early.word == "403 insufficient_scope")
        _ = try await user.web.post("/oauth2/revoke", "token=\(refresh)")
        let answer = try await user.web.expectNothingRecorded {
            try await user.setUp(jwt, token: access)
        }
        #expect(answer.word == "401 invalid_grant")
    }

    @Test("another client's token is refused as such, once it is known that its session lives")
    func othersToken() async throws {
        let (web, settings) = try await Self.twoWithKeys()
        let user = try await BiometricTests.User(web, registered: false)
        let jwt = try user.jwt("setup")
        let name = settings.clients[1].id.text
        let early = try await user.setUp(jwt, token: user.accessToken, client: name)
        #expect(early.word == "400 unauthorized_client")
        _ = try await web.post("/oauth2/revoke", "token=\(user.refreshToken)")
        let late = try await web.expectNothingRecorded {
            try await user.setUp(jwt, token: user.accessToken, client: name)
        }
        #expect(late.word == "401 invalid_grant")
    }

    @Test("attack: a token that was revoked alone; its session lives") func revokedAlone()
        async throws
    {
        let user = try await BiometricTests.User(WebSide(), registered: false)
        _ = try await user.web.post("/oauth2/revoke", "token=\(user.accessToken)")
        let answer = try await user.web.expectNothingRecorded { try await Self.setUp(user) }
        #expect(answer.word == "401 invalid_token")
        #expect(try await DPoPTests.refresh(user.web, user.refreshToken).status == 200)
    }

    @Test("attack: an expired token; where any age of a login will do, one that is not")
    func expired() async throws {
        let web = try await WebSide()
        let user = try await BiometricTests.User(web, registered: false)
        var settings = try #require(web.side.projects.project(id: web.side.project.settings.id))
            .settings
        settings.clients[0].biometric = .init(setupMaxAgeSeconds: 0)
        try await web.side.apply(settings)
        web.side.clock.advance(seconds: 900)
        let answer = try await web.expectNothingRecorded {
            try await Self.setUp(user, after: 900)
        }
        #expect(answer.word == "401 invalid_token")
        let other = try await BiometricTests.User(web, registered: false)
        web.side.clock.advance(seconds: 899)
        #expect(try await Self.setUp(other, after: 1799).status == 200)
    }

    @Test("attack: the token of a guest that has left the session") func guest() async throws {
        let web = try await WebSide()
        var settings = web.side.project.settings
        for index in settings.clients.indices {
            settings.clients[index].biometric = settings.clients[0].biometric
            settings.clients[index].allowedScopes = settings.clients[index].allowedScopes
                .union(Sample.scope(UserAccess.scope))
        }
        try await web.side.apply(settings)
        let scope = "\(NativeSSOTests.scope) \(UserAccess.scope)"
        let session = try await NativeSSOTests.session(web, scope: scope)
        let guest = try await NativeSSOTests.send(web, try NativeSSOTests.form(session))
        let access = try #require(guest["access_token"]?.string)
        let refresh = try #require(guest["refresh_token"]?.string)
        let user = try await BiometricTests.User(web, registered: false)
        _ = try await web.post("/oauth2/revoke", "token=\(refresh)")
        let jwt = try user.jwt("setup")
        let answer = try await web.expectNothingRecorded {
            try await user.setUp(jwt, token: access, client: "invest")
        }
        // Its part has ended, so its session has, as userinfo and the API say (WireContract 9.1).
        #expect(answer.word == "401 invalid_grant")
    }

    @Test("attack: a key of one client logs in another, which may have keys, too")
    func otherClient() async throws {
        let web = try await Self.twoWithKeys().web
        let user = try await BiometricTests.User(web)
        for action in ["authenticate", "authenticate_app2app"] {
            let jwt = try user.jwt(action) {
                action == "authenticate" ? $0 : $0.setting("client_id", "other")
            }
            let answer = try await web.expectNothingRecorded {
                try await web.post(
                    "/oauth2/token",
                    "grant_type=\(BiometricTests.grant)&client_id=other&jwt=\(jwt)"
                        + (action == "authenticate" ? "" : user.link)
                )
            }
            #expect(answer.word == "400 invalid_grant InvalidCredentials")
        }
        #expect(try await user.authenticate(user.jwt("authenticate")).status == 200)
    }

    /// An app whose access tokens are bound, at the token endpoint.
    private struct Bound {
        let holder: DPoPResourceTests.Holder
        let other: String

        init() async throws {
            holder = try await DPoPResourceTests.Holder(failuresPerMinute: 0)
            let again = try await DPoPTests.redeem(
                holder.web,
                proof: DPoPTests.proof(holder.phone, "other"),
                scope: "openid \(UserAccess.scope)"
            )
            other = try #require(again["access_token"]?.string)
        }

        /// A proof for the token endpoint and `token`.
        func proof(_ id: String, of token: String?, by phone: Phone? = nil) throws -> String {
            let hash = token.map {
                Base64URL.text(holder.web.side.digester.sha256(Array($0.utf8)).bytes)
            }
            let payload = DPoPTests.payload(id).setting("ath", hash.map { .string($0) })
            let phone = phone ?? holder.phone
            return try phone.jwt(phone.header("dpop+jwt"), payload)
        }

        func send(_ form: String, _ scheme: String, _ proof: String?) async throws -> Answer {
            let authorization = "\(scheme) \(holder.token)"
            let headers: KeyValuePairs<String, String> =
                if let proof {
                    ["authorization": authorization, "dpop": proof]
                } else {
                    ["authorization": authorization]
                }
            return try await holder.web.post("/oauth2/token", form, headers)
        }
    }

    @Test(
        "attack: a bound token as Bearer, without ath, with another's, by another key",
        arguments: ["id-token", "biometric-request"]
    )
    func boundToken(_ grant: String) async throws {
        let bound = try await Bound()
        let web = bound.holder.web
        let kid = [("kid", JSON.string("kid-0001"))]
        let phone = try Phone()
        let payload = DeviceKeyTests.payload(web, .biometric).setting("action", "setup")
        let setup = try phone.jwt(phone.header(BiometricTests.type) + kid, payload)
        let form =
            "grant_type=urn:authgear:params:oauth:grant-type:\(grant)&client_id=app&jwt=\(setup)"
        let token = bound.holder.token
        let attacks = [
            ("Bearer", try bound.proof("1", of: token), "401 invalid_token"),
            ("DPoP", try bound.proof("2", of: nil), "401 invalid_dpop_proof"),
            ("DPoP", try bound.proof("3", of: bound.other), "401 invalid_dpop_proof"),
            ("DPoP", try bound.proof("4", of: token, by: Phone()), "401 invalid_dpop_proof"),
            ("DPoP", nil, "401 invalid_dpop_proof"),
        ]
        for (scheme, proof, word) in attacks {
            let answer = try await web.expectNothingRecorded {
                try await bound.send(form, scheme, proof)
            }
            #expect(answer.word == word, "\(scheme): \(answer.body)")
        }
        let proof = try bound.proof("5", of: token)
        let before = web.commits
        let good = try await bound.send(form, "DPoP", proof)
        // Of a fresh id token nothing is recorded (decision 0189).
        #expect((web.commits == before) == (grant == "id-token"))
        #expect(good.status == 200, "\(good.body)")
        let replay = try await web.expectNothingRecorded {
            try await bound.send(form, "DPoP", proof)
        }
        #expect(replay.status != 200)
    }

    @Test(
        "attack: a bound token as Bearer, without ath, with another's, by another key, again",
        arguments: ["/oauth2/userinfo", "/api/v1/sessions", "/api/v1/biometric_keys"]
    )
    func boundAtResources(_ path: String) async throws {
        let holder = try await DPoPResourceTests.Holder(failuresPerMinute: 0)
        let thief = try Phone()
        let hash = holder.web.side.digester.sha256(Array("another token".utf8)).bytes
        let proofs = [
            try holder.proof("1", at: path) { $0.setting("ath", nil) },
            try holder.proof("2", at: path) { $0.setting("ath", .string(Base64URL.text(hash))) },
            try thief.jwt(
                thief.header("dpop+jwt"),
                DPoPTests.payload("3", at: "https://auth.example.com" + path, method: "GET")
            ),
            try holder.proof("4", at: "/oauth2/token"),
        ]
        try await holder.web.expectNothingRecorded {
            let bearer = try await holder.web.send(
                .get,
                path,
                headers: [
                    "authorization": "Bearer \(holder.token)",
                    "dpop": try holder.proof("0", at: path),
                ]
            )
            #expect(bearer.status == 401)
            #expect(
                bearer.field("WWW-Authenticate") == [
                    "DPoP error=\"invalid_token\", algs=\"ES256 RS256 EdDSA\""
                ]
            )
            for proof in proofs {
                let answer = try await holder.ask(path, proof)
                #expect(answer.status == 401)
                #expect(
                    answer.field("WWW-Authenticate") == [
                        "DPoP error=\"invalid_dpop_proof\", algs=\"ES256 RS256 EdDSA\""
                    ]
                )
            }
        }
        let good = try holder.proof("5", at: path)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try await holder.ask(path, good).status } }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(statuses == [200: 1, 401: 49])
    }
}
