import Domain
import InMemory
import Issuing
import Signing

/// The session every path works on: opened once, refreshed many times.
extension World {
    static func history(
        of grant: SessionID,
        _ subject: SubjectID,
        _ browser: SessionID,
        _ client: ClientID,
        _ scope: Scope,
        _ digester: some Digester
    ) throws -> (RefreshToken, OfflineGrant.State, [OfflineGrant.Event]) {
        var token = RefreshToken.first(
            of: grant,
            family: 1,
            from: SeededEntropy(),
            digester: digester
        )
        var state = OfflineGrant.initial
        var events: [OfflineGrant.Event] = []
        func apply(_ command: OfflineGrant.Command) throws {
            let decided = try OfflineGrant.decide(command, in: state)
            state = try some(OfflineGrant.fold(decided, from: state))
            events += decided
        }
        try apply(opening(token, subject, browser, client, scope))
        while events.count < grantEvents {
            let next = token.successor(digester)
            try apply(.refresh(refresh(token, next, client, scope)))
            token = next
        }
        return (token, state, events)
    }

    static func opening(
        _ token: RefreshToken,
        _ subject: SubjectID,
        _ browser: SessionID?,
        _ client: ClientID,
        _ scope: Scope
    ) -> OfflineGrant.Command {
        let expiresAt = now.adding(seconds: 31_536_000).wholeMilliseconds
        return .open(
            OfflineGrant.Opening(
                subject: subject,
                client: client,
                scope: scope,
                authentication: Authentication(methods: [.otp], at: now),
                via: .code,
                parent: Parent(kind: .code, stream: subject.stream),
                browserSession: browser,
                openedAt: now,
                expiresAt: expiresAt,
                idleMilliseconds: 2_592_000_000
            ),
            refreshToken: OfflineGrant.RefreshTokenIssue(
                client: client,
                family: 1,
                scope: scope,
                secret: token.digest,
                rotates: true,
                expiresAt: expiresAt
            ),
            accessToken: OfflineGrant.AccessTokenIssue(
                token: TokenID(subject.stream),
                client: client,
                scope: scope,
                via: .code,
                expiresAt: now.adding(seconds: 900).wholeMilliseconds
            )
        )
    }

    static func refresh(
        _ presented: RefreshToken,
        _ successor: RefreshToken,
        _ client: ClientID,
        _ scope: Scope
    ) -> OfflineGrant.Refresh {
        OfflineGrant.Refresh(
            family: 1,
            generation: presented.generation,
            presented: presented.digest,
            successor: successor.digest,
            client: client,
            scope: nil,
            allowedScope: scope,
            rotates: true,
            graceMilliseconds: 30_000,
            token: TokenID(presented.session.stream),
            tokenExpiresAt: now.adding(seconds: 900).wholeMilliseconds,
            at: now
        )
    }

    /// The states that a refresh loads, as a warm cache holds them.
    func stillStore() throws -> StillStore {
        let names = StreamNames(digester)
        let key = names.biometricKey(Self.keyID, in: project.number)
        let registered = Subject.Command.register(
            source: .loginLink,
            email: email,
            emailVerified: true,
            at: Self.now
        )
        let visit = BrowserSession.Command.open(
            BrowserSession.Session(
                subject: subject,
                authentication: Authentication(methods: [.otp], at: Self.now),
                cookie: digester.sha256([]),
                parent: Parent(kind: .loginLink, stream: subject.stream),
                openedAt: Self.now,
                expiresAt: Self.now.adding(seconds: 2_592_000).wholeMilliseconds,
                idleMilliseconds: 604_800_000
            )
        )
        return StillStore(states: [
            grant.stream: remembered(grantState),
            subject.stream: remembered(try Self.state(Subject.self, registered)),
            browser.stream: remembered(try Self.state(BrowserSession.self, visit)),
            device.stream: remembered(try deviceSession()),
            key: remembered(try biometricKey(of: biometricLogin())),
        ])
    }

    private static func state<A: Aggregate>(_ aggregate: A.Type, _ command: A.Command) throws
        -> A.State
    {
        try some(A.fold(try A.decide(command, in: A.initial), from: A.initial))
    }

    private func remembered(_ state: any Sendable) -> RememberedState {
        RememberedState(
            project: project.number,
            version: 1,
            hash: EventHash(digest: token.digest),
            occurredAt: Self.now,
            state: state
        )
    }
}
