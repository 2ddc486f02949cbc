import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

@Suite("Shared sessions") struct SharedSessionTests {
    private static let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    private static let scope = "openid offline_access device_sso"

    /// `app` and `other` are of one vendor.
    static func side() async throws -> TokenSide {
        let side = try await TokenSide()
        var settings = side.project.settings
        for index in settings.clients.indices {
            settings.clients[index].nativeSSOGroup = "vendor"
            settings.clients[index].allowedScopes = try #require(Scope(scope))
            settings.clients[index].grantTypes.append(exchange)
        }
        try await side.apply(settings)
        return side
    }

    private static func join(
        _ first: TokenResponse,
        as client: String = "other",
        on side: TokenSide
    ) async throws -> TokenResponse {
        try await side.endpoint.respond(
            to: RequestParameters([
                "grant_type": exchange, "audience": "https://auth.example.com",
                "subject_token": String(decoding: try #require(first.idToken), as: UTF8.self),
                "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
                "actor_token": String(decoding: try #require(first.deviceSecret), as: UTF8.self),
                "actor_token_type": "urn:openid:params:token-type:device-secret",
            ]),
            from: try side.caller(client)
        )
    }

    @Test("an app that comes again in the same instant keeps no former token")
    func comesAgain() async throws {
        let side = try await Self.side()
        let first = try await side.redeem(side.code(scope: Self.scope))
        let former = try await Self.join(first, on: side)
        let latter = try await Self.join(first, on: side)
        #expect(try await !side.isActive(former.accessToken?.text, asked: "other"))
        #expect(try await side.isActive(latter.accessToken?.text, asked: "other"))
    }

    @Test("a client that goes on with an app's session has a live token, whatever the clock")
    func slowClock() async throws {
        let side = try await Self.side()
        let first = try await side.redeem(side.code(scope: Self.scope))
        let token = try #require(first.refreshToken)
        let known = try #require(RefreshToken(reading: token, digester: side.digester))
        side.clock.advance(seconds: 5)
        _ = try await side.refresh(token)
        // The next request comes to a node that is two seconds behind.
        side.clock.advance(seconds: -2)
        let code = try await Self.code(continuing: known.session, on: side)
        let joined = try await side.redeem(code, by: "other")
        #expect(try await side.isActive(joined.accessToken?.text, asked: "other"))
    }

    /// A token of the first app comes again that was replaced after the guest had come; its last.
    private static func putOut(_ first: TokenResponse, on side: TokenSide)
        async throws -> TokenResponse
    {
        side.clock.advance(seconds: 1)
        let second = try await side.refresh(first.refreshToken)
        let third = try await side.refresh(second.refreshToken)
        side.clock.advance(seconds: 31)
        await expect(refusal: .invalidGrant) { try await side.refresh(second.refreshToken) }
        return third
    }

    @Test("who logs out in the first app logs out everywhere, also when a thief has put it out")
    func logsOutAfterReuse() async throws {
        let side = try await Self.side()
        let first = try await side.redeem(side.code(scope: Self.scope))
        let guest = try await Self.join(first, on: side)
        let third = try await Self.putOut(first, on: side)
        #expect(try await !side.isActive(third.accessToken?.text))
        #expect(try await side.isActive(guest.accessToken?.text, asked: "other"))
        try await Self.revoke(third.refreshToken, on: side)
        #expect(try await !side.isActive(guest.accessToken?.text, asked: "other"))
        await expect(refusal: .invalidGrant) {
            try await side.refresh(guest.refreshToken, by: "other")
        }
    }

    @Test("so does a token of before, when the first app has come again since it was put out")
    func logsOutAgain() async throws {
        let side = try await Self.side()
        let first = try await side.redeem(side.code(scope: Self.scope))
        let guest = try await Self.join(first, on: side)
        let third = try await Self.putOut(first, on: side)
        let text = try #require(third.refreshToken)
        let token = try #require(RefreshToken(reading: text, digester: side.digester))
        let code = try await Self.code(
            of: "app",
            continuing: token.session,
            by: "other",
            on: side
        )
        let again = try await side.redeem(code)
        #expect(try await side.isActive(again.accessToken?.text))
        try await Self.revoke(third.refreshToken, on: side)
        #expect(try await !side.isActive(again.accessToken?.text))
        #expect(try await !side.isActive(guest.accessToken?.text, asked: "other"))
    }

    @Test("so does one that the first app was given before as many others as are kept")
    func logsOutByTheOldest() async throws {
        let side = try await Self.side()
        let first = try await side.redeem(side.code(scope: Self.scope))
        let guest = try await Self.join(first, on: side)
        let text = try #require(first.refreshToken)
        let token = try #require(RefreshToken(reading: text, digester: side.digester))
        try await side.run(OfflineGrant.self, token.session.stream) {
            .share(.leave(Sample.client("app"), .reuse))
        }
        var given: [TokenResponse] = []
        for _ in 0...OfflineGrant.familiesPerClientMax {
            let code = try await Self.code(
                of: "app",
                continuing: token.session,
                by: "other",
                on: side
            )
            given.append(try await side.redeem(code))
        }
        await expect(refusal: .invalidGrant) { try await side.refresh(given[0].refreshToken) }
        #expect(try await side.isActive(guest.accessToken?.text, asked: "other"))
        try await Self.revoke(given[0].refreshToken, on: side)
        #expect(try await !side.isActive(guest.accessToken?.text, asked: "other"))
    }

    @Test("what an app held before it came again ends nothing of what it holds now")
    func formerStay() async throws {
        let side = try await Self.side()
        let first = try await side.redeem(side.code(scope: Self.scope))
        let former = try await Self.join(first, on: side)
        let latter = try await Self.join(first, on: side)
        try await Self.revoke(former.refreshToken, on: side)
        #expect(try await side.isActive(latter.accessToken?.text, asked: "other"))
        #expect(try await side.isActive(first.accessToken?.text))
    }

    private static func revoke(_ token: [UInt8]?, on side: TokenSide) async throws {
        try await side.revocation.revoke(
            Revocation.Request(
                token: try #require(token),
                asker: .holder,
                project: side.project,
                deadline: Fixture.noDeadline
            )
        )
    }

    /// A code of a login that the app vouched for (WireContract 4.3).
    static func code(
        of client: String = "other",
        continuing session: SessionID,
        by host: String = "app",
        on side: TokenSide
    ) async throws -> String {
        let now = side.clock.now
        let stream = StreamID.timeOrdered(at: now, from: side.entropy)
        let token = OpaqueToken(
            .authorizationCode,
            stream: stream,
            secret: side.entropy.bytes(32),
            digester: side.digester
        )
        let verifier = side.digester.sha256(Array(TokenSide.verifier.utf8))
        let ticket = AuthorizationCode.Ticket(
            client: try #require(ClientID(client)),
            redirectURI: try #require(RedirectURI(TokenSide.redirectURI)),
            redirectURIGiven: true,
            scope: try #require(Scope("openid offline_access")),
            secret: token.digest,
            codeChallenge: CodeChallenge(digest: verifier),
            subject: side.subject,
            authentication: Authentication(methods: [.otp], at: now.wholeMilliseconds),
            parent: Parent(kind: .authorization, stream: stream),
            browserSession: nil,
            continuation: Continuation(session: session, host: try #require(ClientID(host))),
            expiresAt: now.adding(seconds: 60).wholeMilliseconds
        )
        try await side.run(AuthorizationCode.self, stream) { .issue(ticket) }
        return String(decoding: token.text, as: UTF8.self)
    }
}
