import Crypto
import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// What resources say of bound tokens, and the nonces they hand out (RFC 9449 sections 7 to 9,
/// WireContract 6.4 and 9.1).
@Suite("DPoP at resources") struct DPoPResourceTests {
    /// A phone whose client has bound access tokens, and one of them.
    struct Holder {
        let web: WebSide
        let phone: Phone
        var token: String
        let refreshToken: String

        init(requiresNonce: Bool = false, failuresPerMinute: Int = 3) async throws {
            web = try await WebSide(limits: [
                .failedRequest: .init(perMinute: failuresPerMinute)
            ])
            var settings = web.side.project.settings
            settings.clients[0].dpop = .bound
            let all = settings.clients[0].allowedScopes.union(Sample.scope(UserAccess.scope))
            settings.clients[0].allowedScopes = all
            try await web.side.apply(settings)
            phone = try Phone()
            let opened = try await DPoPTests.redeem(
                web,
                proof: DPoPTests.proof(phone, "0"),
                scope: "openid offline_access \(UserAccess.scope)"
            )
            token = try #require(opened["access_token"]?.string, "\(opened.body)")
            refreshToken = try #require(opened["refresh_token"]?.string)
            guard requiresNonce else { return }
            settings.requiresDPoPNonce = true
            try await web.side.apply(settings)
        }

        func proof(_ id: String, at path: String, _ change: (Members) -> Members = { $0 })
            throws -> String
        {
            let url = "https://auth.example.com" + path
            let hash = web.side.digester.sha256(Array(token.utf8)).bytes
            let payload = DPoPTests.payload(id, at: url, method: "GET")
                .setting("ath", .string(Base64URL.text(hash)))
            return try phone.jwt(phone.header("dpop+jwt"), change(payload))
        }

        func ask(_ path: String, _ proof: String) async throws -> Answer {
            try await web.send(
                .get,
                path,
                headers: ["authorization": "DPoP \(token)", "dpop": proof]
            )
        }
    }

    static let paths = ["/oauth2/userinfo", "/api/v1/biometric_keys"]

    @Test(
        "a proof without nonce learns one and how to use it; each answer has a new one",
        arguments: paths
    )
    func nonces(_ path: String) async throws {
        let holder = try await Holder(requiresNonce: true)
        let first = try await holder.ask(path, holder.proof("1", at: path))
        #expect(first.status == 401)
        #expect(
            first.field("WWW-Authenticate") == [
                "DPoP error=\"use_dpop_nonce\", algs=\"ES256 RS256 EdDSA\""
            ]
        )
        let nonce = try #require(first.field("DPoP-Nonce").first)
        let proof = try holder.proof("2", at: path) { $0.setting("nonce", .string(nonce)) }
        let second = try await holder.ask(path, proof)
        #expect(second.status == 200, "\(second.body)")
        #expect(second.field("DPoP-Nonce").count == 1)
        let replay = try await holder.ask(path, proof)
        #expect(replay.status == 401)
        #expect(replay.field("DPoP-Nonce").count == 1)
    }

    @Test("a refusal of the token endpoint has a nonce, too; without nonces nothing has one")
    func tokenEndpoint() async throws {
        let with = try await Holder(requiresNonce: true)
        let refused = try await DPoPTests.refresh(with.web, "rt_unknown")
        #expect(refused.status == 400 && refused.field("DPoP-Nonce").count == 1)
        let without = try await Holder()
        let plain = try await DPoPTests.refresh(without.web, "rt_unknown")
        #expect(plain.status == 400 && plain.field("DPoP-Nonce").isEmpty)
        for path in Self.paths {
            let answer = try await without.ask(path, without.proof(path, at: path))
            #expect(answer.status == 200 && answer.field("DPoP-Nonce").isEmpty)
        }
    }

    @Test("that a nonce was missing is no failure that counts against an address")
    func learningIsFree() async throws {
        let holder = try await Holder(requiresNonce: true)
        for attempt in 0..<10 {
            let path = "/oauth2/userinfo"
            let answer = try await holder.ask(path, holder.proof("\(attempt)", at: path))
            #expect(answer.status == 401 && answer.error == "use_dpop_nonce")
            let proof = try DPoPTests.proof(holder.phone, "t\(attempt)")
            #expect(try await DPoPTests.redeem(holder.web, proof: proof).error == "use_dpop_nonce")
            let url = "https://auth.example.com\(AppSessionTokenTests.path)"
            let third = try holder.phone.jwt(
                holder.phone.header("dpop+jwt"),
                DPoPTests.payload("a\(attempt)", at: url)
            )
            let page = try await AppSessionTokenTests.ask(
                holder.web,
                holder.refreshToken,
                ["dpop": third]
            )
            #expect(page.status == 403 && page.field("DPoP-Nonce").count == 1, "\(page.body)")
        }
        for _ in 0..<3 { _ = try await DPoPTests.refresh(holder.web, "rt_unknown") }
        #expect(try await DPoPTests.refresh(holder.web, "rt_unknown").status == 429)
    }

    @Test("a proof for a bound token is made at most 60 s ahead", arguments: paths)
    func strictTimes(_ path: String) async throws {
        let holder = try await Holder()
        func ahead(_ seconds: Int64) throws -> String {
            try holder.proof("\(seconds)", at: path) {
                $0.setting("iat", .integer(DPoPTests.now + seconds))
            }
        }
        #expect(try await holder.ask(path, ahead(60)).status == 200)
        let early = try await holder.ask(path, ahead(61))
        #expect(early.status == 401)
        #expect(
            early.field("WWW-Authenticate") == [
                "DPoP error=\"invalid_dpop_proof\", algs=\"ES256 RS256 EdDSA\""
            ]
        )
    }

    @Test(
        "a token that came as DPoP is asked for as such, whatever is wrong with it",
        arguments: paths
    )
    func challenge(_ path: String) async throws {
        let holder = try await Holder()
        func challenge(of answer: Answer) -> [String] { answer.field("WWW-Authenticate") }
        let algorithms = "algs=\"ES256 RS256 EdDSA\""
        let revoked = try await holder.web.post("/oauth2/revoke", "token=\(holder.refreshToken)")
        #expect(revoked.status == 200)
        let ended = try await holder.ask(path, holder.proof("e", at: path))
        #expect(ended.status == (path == Self.paths[0] ? 401 : 403), "\(ended.body)")
        #expect(challenge(of: ended) == ["DPoP error=\"invalid_token\", \(algorithms)"])
        let unknown = try await holder.web.send(.get, path, headers: ["authorization": "DPoP x"])
        #expect(unknown.status == 401)
        #expect(challenge(of: unknown) == ["DPoP error=\"invalid_token\", \(algorithms)"])
        let narrow = try await DPoPTests.redeem(
            holder.web,
            proof: DPoPTests.proof(holder.phone, "n"),
            scope: path == Self.paths[0] ? "offline_access" : "openid"
        )
        var other = holder
        other.token = try #require(narrow["access_token"]?.string)
        let answer = try await other.ask(path, other.proof("s", at: path))
        // Without the scope `openid` a token is for userinfo only when its audience says so.
        #expect(challenge(of: answer).first?.hasPrefix("DPoP error=") == true, "\(answer.body)")
        #expect(challenge(of: answer).first?.hasSuffix(algorithms) == true)
    }

    @Test("a user's routes say what they want, as userinfo does") func challenges() async throws {
        let holder = try await Holder()
        let path = "/api/v1/biometric_keys"
        let none = try await holder.web.send(.get, path)
        #expect(none.field("WWW-Authenticate") == ["Bearer"])
        let bad = try await holder.web.send(.get, path, headers: ["authorization": "Bearer x"])
        #expect(bad.field("WWW-Authenticate") == ["Bearer error=\"invalid_token\""])
        try await holder.web.side.apply(holder.web.side.project.settings)
        let bearer = try await DPoPTests.redeem(holder.web, scope: "openid")
        let token = try #require(bearer["access_token"]?.string)
        let answer = try await holder.web.send(
            .get,
            path,
            headers: ["authorization": "Bearer \(token)"]
        )
        #expect(answer.status == 403)
        #expect(
            answer.field("WWW-Authenticate") == [
                "Bearer error=\"insufficient_scope\", scope=\"\(UserAccess.scope)\""
            ]
        )
    }
}
