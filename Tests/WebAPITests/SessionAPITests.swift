import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// A user's own sessions (WireContract 9.5).
@Suite("Session API") struct SessionAPITests {
    static let path = "/api/v1/sessions"

    static func send(
        _ web: WebSide,
        _ method: WebAPI.Method,
        _ session: Answer,
        _ target: String = path
    ) async throws -> Answer {
        let token = try #require(session["access_token"]?.string)
        return try await web.send(
            method,
            target,
            fields: [("authorization", "Bearer \(token)")]
        )
    }

    static func session(_ web: WebSide, scope: String = AppSessionTokenTests.scope)
        async throws -> Answer
    {
        try await NativeSSOTests.session(web, scope: scope)
    }

    /// Whose tokens these are.
    static func sid(of answer: Answer, _ web: WebSide) throws -> SessionID {
        let token = try #require(answer["access_token"]?.string)
        let claims = web.side.signer.verifyAccessToken(
            Array(token.utf8),
            of: web.side.project,
            at: web.side.clock.now
        )
        return try #require(claims?.session)
    }

    static func list(_ answer: Answer) throws -> [JSON] {
        let list = try #require(answer["result"]?["sessions"])
        guard case .array(let sessions) = list else { return [] }
        return sessions
    }

    @Test("lists the live ones, newest first, and says which one asks") func lists() async throws {
        let web = try await WebSide()
        _ = try await Self.session(web)
        let mine = try await Self.session(web)
        let answer = try await Self.send(web, .get, mine)
        #expect(answer.status == 200)
        let sessions = try Self.list(answer)
        #expect(sessions.count == 3)
        #expect(sessions.map { $0["is_current"] } == [true, false, false])
        #expect(sessions.map { $0["type"] } == ["offline_grant", "offline_grant", "browser"])
        #expect(answer["result"]?["next"] == .null)
        let sid = try #require(sessions[0]["sid"]?.string)
        let one = try await Self.send(web, .get, mine, "\(Self.path)/\(sid)")
        #expect(one["result"]?["session"] == sessions[0])
    }

    @Test("ends one, at once and with its reason; a second time there is none") func ends()
        async throws
    {
        let web = try await WebSide()
        let other = try await Self.session(web)
        let mine = try await Self.session(web)
        let sid = try #require(
            try Self.list(try await Self.send(web, .get, mine))[1]["sid"]?.string
        )
        let target = "\(Self.path)/\(sid)"
        let ended = try await Self.send(web, .delete, mine, target)
        #expect(ended.status == 200)
        #expect(ended.body == #"{"result":{}}"#)
        #expect(try await NativeSSOTests.isActive(web, other) == false)
        #expect(try await Self.send(web, .delete, mine, target).status == 404)
        #expect(try await Self.send(web, .get, mine, target).status == 404)
        #expect(try await NativeSSOTests.isActive(web, mine))
    }

    @Test("ends the one that asks, and with it the right to ask") func endsOwn() async throws {
        let web = try await WebSide()
        let mine = try await Self.session(web)
        let sid = try Self.sid(of: mine, web)
        #expect(try await Self.send(web, .delete, mine, "\(Self.path)/\(sid)").status == 200)
        let after = try await Self.send(web, .get, mine)
        #expect(after.status == 403)
        #expect(after["error"]?["reason"] == "InvalidGrant")
    }

    @Test("ends all others, browsers too") func endsOthers() async throws {
        let web = try await WebSide()
        let other = try await Self.session(web)
        let mine = try await Self.session(web)
        let answer = try await Self.send(web, .post, mine, "\(Self.path)/revoke_others")
        #expect(answer["result"]?["revoked"]?.integer == 2)
        #expect(try await NativeSSOTests.isActive(web, other) == false)
        #expect(try Self.list(try await Self.send(web, .get, mine)).count == 1)
        #expect(try await Self.send(web, .get, mine, "\(Self.path)/revoke_others").status == 405)
    }

    @Test("the browser that the caller's login came from is part of it") func keepsBrowser()
        async throws
    {
        let web = try await WebSide()
        let code = try await web.side.code(
            scope: AppSessionTokenTests.scope,
            browser: web.side.browser
        )
        let mine = try await DeviceKeyTests.redeem(web, code: code, jwt: nil, client: "app")
        let other = try await Self.session(web)
        let answer = try await Self.send(web, .post, mine, "\(Self.path)/revoke_others")
        #expect(answer["result"]?["revoked"]?.integer == 1)
        #expect(try await NativeSSOTests.isActive(web, mine))
        #expect(try await NativeSSOTests.isActive(web, other) == false)
    }

    @Test("attack: somebody else's session, a guess, a token without full access, none")
    func foreign() async throws {
        let web = try await WebSide()
        let mallory = SubjectID(Sample.stream(0x51))
        let email = Sealed(bytes: Array("b@example.com".utf8))
        try await web.side.run(Subject.self, mallory.stream) {
            .register(
                source: .loginLink,
                email: email,
                emailVerified: true,
                at: web.side.clock.now
            )
        }
        let code = try await web.side.code(scope: AppSessionTokenTests.scope, of: mallory)
        let theirs = try await DeviceKeyTests.redeem(web, code: code, jwt: nil, client: "app")
        let mine = try await Self.session(web)
        let sid = try #require(
            try Self.list(try await Self.send(web, .get, mine))[0]["sid"]?.string
        )
        let commits = web.commits
        for target in [sid, "x", Sample.stream(9).description, mallory.description] {
            let path = "\(Self.path)/\(target)"
            #expect(try await Self.send(web, .get, theirs, path).status == 404)
            #expect(try await Self.send(web, .delete, theirs, path).status == 404)
        }
        #expect(web.commits == commits)
        let list = try Self.list(try await Self.send(web, .get, theirs))
        #expect(list.count == 1)
        #expect(list.first?["is_current"] == true)
        let others = try await Self.send(web, .post, theirs, "\(Self.path)/revoke_others")
        #expect(others["result"]?["revoked"] == 0)
        #expect(web.commits == commits)
        #expect(try await NativeSSOTests.isActive(web, mine))
        let narrow = try await Self.session(web, scope: "openid offline_access")
        let denied = try await Self.send(web, .get, narrow)
        #expect(denied.status == 403)
        #expect(denied["error"]?["reason"] == "AccessDenied")
        let none = try await web.send(.get, Self.path)
        #expect(none.status == 401)
        #expect(none["error"]?["reason"] == "Unauthenticated")
        let cursor = try await Self.send(web, .get, mine, "\(Self.path)?cursor=x")
        #expect(cursor.status == 400)
    }
}
