import Domain
import InMemory
import Issuing
import OAuth
import TestSupport

extension SignInSide {
    /// The first user of all.
    func registered() throws -> SubjectID {
        let event = store.allEvents.first {
            if case .subject(.registered) = $0.body { true } else { false }
        }
        return SubjectID(try Fixture.some(event).stream)
    }

    /// An ID token of a client's session.
    func hint(_ session: SessionID, _ subject: SubjectID, client: String = "web") throws -> String {
        let claims = IDTokenClaims(
            subject: subject,
            audience: try Fixture.some(ClientID(client)),
            issuedAt: clock.now,
            expiresAt: clock.now,
            authentication: Authentication(methods: [.otp], at: clock.now),
            session: session
        )
        let token = try signer.sign(claims, beside: nil, with: .es256, for: project)
        return String(decoding: token, as: UTF8.self)
    }

    /// A session of an app, as a redeemed code opens it, of a browser's login or of none.
    func openGrant(from browser: SessionID?, _ owner: SubjectID) async throws -> SessionID {
        let client = try Fixture.some(ClientID("web"))
        let grant = SessionID(.timeOrdered(at: clock.now, from: entropy))
        let expiry = clock.now.adding(seconds: 3600).wholeMilliseconds
        let opening = OfflineGrant.Opening(
            subject: owner,
            client: client,
            scope: .empty,
            authentication: Authentication(methods: [.otp], at: clock.now.wholeMilliseconds),
            via: .code,
            parent: Parent(kind: .code, stream: grant.stream),
            browserSession: browser,
            openedAt: clock.now,
            expiresAt: expiry,
            idleMilliseconds: 3_600_000
        )
        let token = OfflineGrant.AccessTokenIssue(
            token: TokenID(grant.stream),
            client: client,
            scope: .empty,
            via: .code,
            expiresAt: expiry
        )
        try await decide(
            .open(opening, refreshToken: nil, accessToken: token),
            on: grant.stream,
            OfflineGrant.self,
            of: owner
        )
        guard let browser else { return grant }
        let joined = BrowserSession.Command.join(.init(client: client, grant: grant))
        try await decide(joined, on: browser.stream, BrowserSession.self, of: owner)
        return grant
    }

    /// One decision on a stream: the first half of what a request does, where a node died after it.
    func decide<A: Aggregate>(
        _ command: A.Command,
        on stream: StreamID,
        _ aggregate: A.Type,
        of owner: SubjectID
    ) async throws {
        try await commands.run(aggregate, stream, in: project, for: owner) { command }
    }

    /// What a browser has that an app of this user let in by a URL, for a quarter of an hour.
    func appSession(of owner: SubjectID) async throws -> AppSession {
        AppSession(
            session: try await openGrant(from: nil, owner),
            client: try Fixture.some(ClientID("web")),
            origin: .url,
            scope: .empty,
            issuedAt: clock.now,
            expiresAt: clock.now.adding(seconds: 900)
        )
    }
}
