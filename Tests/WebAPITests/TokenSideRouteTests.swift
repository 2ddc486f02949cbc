import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import Runtime
import TestSupport
import Testing
import WebAPI

private let basicAPI = "Basic YXBpOmEtc2VjcmV0"

@Suite("The token side over HTTP") struct TokenSideRouteTests {
    func redeem(_ web: WebSide, _ more: String = "") async throws -> Answer {
        let code = try await web.side.code()
        return try await web.post(
            "/oauth2/token",
            "grant_type=authorization_code&client_id=app&code=\(code)"
                + "&redirect_uri=\(TokenSide.redirectURI)&code_verifier=\(TokenSide.verifier)"
                + more
        )
    }

    @Test("a code gives tokens, a refresh token gives its successor") func mainJob() async throws {
        let web = try await WebSide()
        let first = try await redeem(web)
        #expect(first.status == 200, "\(first.body)")
        #expect(first["token_type"] == "Bearer")
        #expect(first["expires_in"] == 900)
        #expect(first.field("Cache-Control") == ["no-store"])
        #expect(first.field("X-Content-Type-Options") == ["nosniff"])
        let token = try #require(first["refresh_token"]?.string)
        let second = try await web.post(
            "/oauth2/token",
            "refresh_token=\(token)&client_id=app&grant_type=refresh_token&unknown=1&unknown=2"
        )
        #expect(second.status == 200)
        #expect(second["refresh_token"]?.string != token)
    }

    @Test("introspection tells a service, and as a JWT where it asks for one") func introspects()
        async throws
    {
        let web = try await WebSide()
        let token = try #require(try await redeem(web)["access_token"]?.string)
        let plain = try await web.post(
            "/oauth2/introspect",
            "token=\(token)",
            ["authorization": basicAPI]
        )
        #expect(plain["active"] == true)
        #expect(plain["client_id"] == "app")
        let signed = try await web.post(
            "/oauth2/introspect",
            "token=\(token)",
            [
                "authorization": basicAPI,
                "accept": "text/html, Application/Token-Introspection+JWT;q=0.5",
            ]
        )
        #expect(signed.field("Content-Type") == ["application/token-introspection+jwt"])
        let claims = #"token-introspection+jwt.{"iss":"https://auth.example.com","aud":"api","#
        #expect(signed.body.hasPrefix(claims))
        #expect(signed.body.contains(#""token_introspection":{"active":true"#))
        let unknown = try await web.post(
            "/oauth2/introspect",
            "token=nonsense",
            ["authorization": basicAPI]
        )
        #expect(unknown.body == #"{"active":false}"#)
    }

    @Test("a refresh token ends by idleness, or at last by age: introspection tells which is first")
    func introspectsRefreshToken() async throws {
        let web = try await WebSide()
        var settings = web.side.project.settings
        let index = try #require(settings.clients.firstIndex { $0.id.text == "web" })
        settings.clients[index].refreshTokenIdleSeconds = 3600
        settings.clients[index].refreshTokenLifetimeSeconds = 5000
        try await web.side.apply(settings)
        let opened = web.side.clock.now.seconds
        let token = try await web.side.redeem(web.side.code(for: "web"), by: "web").refreshToken
        let text = String(decoding: try #require(token), as: UTF8.self)
        func introspect() async throws -> Answer {
            let basic = ["authorization": "Basic d2ViOmEtc2VjcmV0"] as KeyValuePairs
            return try await web.post("/oauth2/introspect", "token=\(text)", basic)
        }
        let early = try await introspect()
        #expect(early["exp"]?.integer == opened + 3600, "\(early.body)")
        #expect(early["auth_time"]?.integer == opened)
        #expect(early["active"] == true && early["aud"] == nil && early["jti"] == nil)
        web.side.clock.advance(seconds: 2000)
        _ = try await web.side.refresh(token, by: "web")
        let late = try await introspect()
        #expect(late["exp"]?.integer == opened + 5000, "\(late.body)")
        #expect(late["auth_time"]?.integer == opened)
    }

    @Test("revocation ends the session and says nothing") func revokes() async throws {
        let web = try await WebSide()
        let tokens = try await redeem(web)
        let refresh = try #require(tokens["refresh_token"]?.string)
        let access = try #require(tokens["access_token"]?.string)
        let answer = try await web.post("/oauth2/revoke", "token=\(refresh)")
        #expect(answer.status == 200)
        #expect(answer.body.isEmpty)
        let again = try await web.post(
            "/oauth2/token",
            "grant_type=refresh_token&client_id=app&refresh_token=\(refresh)"
        )
        #expect(again.error == "invalid_grant")
        let userInfo = try await web.send(
            .get,
            "/oauth2/userinfo",
            headers: ["authorization": "Bearer \(access)"]
        )
        #expect(userInfo.status == 401)
        #expect(userInfo.error == "invalid_grant")
        #expect(userInfo.field("WWW-Authenticate") == [#"Bearer error="invalid_token""#])
    }

    @Test("an access token beside the one to revoke is no client", arguments: ["Bearer", "DPoP"])
    func revokesBesideToken(_ scheme: String) async throws {
        let web = try await WebSide()
        let tokens = try await redeem(web)
        let refresh = try #require(tokens["refresh_token"]?.string)
        let access = try #require(tokens["access_token"]?.string)
        let answer = try await web.post(
            "/oauth2/revoke",
            "token=\(refresh)",
            ["authorization": "\(scheme) \(access)"]
        )
        #expect(answer.status == 200, "\(answer.body)")
        let isActive = try await web.side.isActive(Array(access.utf8))
        #expect(!isActive)
    }

    @Test("without the database it is 503 with Retry-After") func unavailable() async throws {
        let web = try await WebSide()
        let tokens = try await redeem(web)
        let refresh = try #require(tokens["refresh_token"]?.string)
        web.side.store.fail(.unavailable)
        let answer = try await web.post("/oauth2/revoke", "token=\(refresh)")
        #expect(answer.status == 503)
        #expect(answer.error == "temporarily_unavailable")
        #expect(answer.field("Retry-After") == ["1"])
    }

    @Test("userinfo takes the token from the header, or from a posted form") func userInfo()
        async throws
    {
        let web = try await WebSide()
        let token = try #require(try await redeem(web)["access_token"]?.string)
        let get = try await web.send(
            .get,
            "/oauth2/userinfo",
            headers: ["authorization": "bearer \(token)"]
        )
        #expect(get.status == 200, "\(get.body)")
        let names = try JSONReader.read(Array(get.body.utf8)).members?.map(\.name)
        #expect(
            names?.prefix(8) == [
                "sub", "https://authgear.com/claims/user/is_anonymous",
                "https://authgear.com/claims/user/is_verified",
                "https://authgear.com/claims/user/can_reauthenticate",
                "https://authgear.com/claims/user/roles", "custom_attributes", "x_web3",
                "https://authgear.com/claims/user/has_primary_password",
            ]
        )
        #expect(get["sub"]?.string == web.side.subject.description)
        let post = try await web.post("/oauth2/userinfo", "access_token=\(token)")
        #expect(post.body == get.body)
    }

    @Test("userinfo refuses: none, two, twice, in the query, nonsense") func noUserInfo()
        async throws
    {
        let web = try await WebSide()
        let none = try await web.send(.get, "/oauth2/userinfo")
        #expect(none.status == 401)
        #expect(none.error == "invalid_token")
        #expect(none.field("WWW-Authenticate") == ["Bearer"])
        let query = try await web.send(.get, "/oauth2/userinfo?access_token=a")
        #expect(query.status == 401)
        #expect(query.field("WWW-Authenticate") == ["Bearer"])
        let two = try await web.post(
            "/oauth2/userinfo",
            "access_token=a",
            ["authorization": "Bearer a"]
        )
        #expect(two.status == 400)
        let twice = try await web.post("/oauth2/userinfo", "access_token=a&access_token=a")
        #expect(twice.status == 400)
        let nonsense = try await web.send(
            .get,
            "/oauth2/userinfo",
            headers: ["authorization": "Bearer nonsense"]
        )
        #expect(nonsense.status == 401)
        #expect(nonsense.error == "invalid_token")
    }
}

@Suite("Memory limits at the token side") struct TokenLimitTests {
    @Test("after so many failures an address waits, its successes are free") func failures()
        async throws
    {
        let web = try await WebSide(limits: [.failedRequest: .init(perMinute: 3)])
        for _ in 0..<5 {
            let fine = try await web.post("/oauth2/revoke", "token=a")
            #expect(fine.status == 200)
        }
        for _ in 0..<3 {
            let failed = try await web.post("/oauth2/revoke", "")
            #expect(failed.status == 400)
        }
        let limited = try await web.post("/oauth2/revoke", "token=a")
        #expect(limited.status == 429)
        #expect(limited.error == "x_rate_limited")
        let seconds = try #require(limited.field("Retry-After").first.flatMap { Int($0) })
        #expect(1...21 ~= seconds)
        let text = String(decoding: web.metrics.render(), as: UTF8.self)
        #expect(text.contains(#"chancery_limit_hits_total{limit="failed_request"} 1"#))
    }

    @Test("guessing one client's secret does not keep another client out") func guessing()
        async throws
    {
        let web = try await WebSide(limits: [.failedClientAuthentication: .init(perMinute: 2)])
        for _ in 0..<2 {
            let wrong = try await web.post(
                "/oauth2/introspect",
                "token=a",
                ["authorization": "Basic YXBpOndyb25n"]
            )
            #expect(wrong.status == 401)
        }
        let limited = try await web.post(
            "/oauth2/introspect",
            "token=a",
            ["authorization": basicAPI]
        )
        #expect(limited.status == 429)
        let other = try await web.post(
            "/oauth2/introspect",
            "token=a",
            ["authorization": "Basic d2ViOmEtc2VjcmV0"]
        )
        #expect(other.status == 200)
    }

    @Test("a stranger who knows a session cannot use up its refreshes") func refreshes()
        async throws
    {
        let web = try await WebSide(limits: [.refresh: .init(perMinute: 2, burst: 2)])
        var tokens = try await web.side.redeem(web.side.code())
        let forged = Array((tokens.refreshToken ?? []).dropLast(8)) + Array("AAAAAAAA".utf8)
        for _ in 0..<5 {
            let answer = try await web.refresh(forged)
            #expect(answer.error == "invalid_grant")
        }
        for _ in 0..<2 {
            let answer = try await web.refresh(tokens.refreshToken)
            #expect(answer.status == 200)
            tokens.refreshToken = answer["refresh_token"]?.string.map { Array($0.utf8) }
        }
        #expect(try await web.refresh(tokens.refreshToken).status == 429)
    }
}

extension WebSide {
    fileprivate func refresh(_ token: [UInt8]?) async throws -> Answer {
        let text = String(decoding: token ?? [], as: UTF8.self)
        return try await post(
            "/oauth2/token",
            "grant_type=refresh_token&client_id=app&refresh_token=\(text)"
        )
    }
}
