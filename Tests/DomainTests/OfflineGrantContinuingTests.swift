import Domain
import TestSupport
import Testing

/// Clients that come into an app's session by a code of its browser (WireContract 4.3).
@Suite("A continued session") struct OfflineGrantContinuingTests {
    typealias Row = Scenario<OfflineGrant>
    private typealias Shared = OfflineGrantSharingTests

    private static let web = Shared.web
    private static let other = Sample.client("other-web")
    private static let code = Parent(kind: .code, stream: Sample.stream(8))

    private static func opened(_ client: ClientID = web, at: Double = 10) -> OfflineGrant.Event {
        .urlIssued(
            OfflineGrant.URLIssued(
                client: client,
                depth: 0,
                url: Sample.stream(9),
                at: Sample.time(at)
            )
        )
    }

    private static func joined(_ client: ClientID, depth: UInt8, at: Double)
        -> OfflineGrant.Event
    {
        .clientJoined(
            OfflineGrant.ClientJoined(
                client: client,
                scope: Shared.scope,
                via: .continue,
                depth: depth,
                parent: code,
                at: Sample.time(at)
            )
        )
    }

    private static func tokens(_ client: ClientID, family: UInt16, at: Double = 20)
        -> [OfflineGrant.Event]
    {
        [
            .refreshTokenIssued(Shared.issue(client, family: family), at: Sample.time(at)),
            .accessTokenIssued(token(client, at: at)),
        ]
    }

    /// Its id tells when it was born.
    private static func token(_ client: ClientID, at: Double) -> OfflineGrant.AccessTokenIssue {
        var token = Shared.token(client)
        token.via = .continue
        let birth = UInt64(Sample.time(at).milliseconds)
        token.token = TokenID(StreamID(high: birth << 16 | 0x7000, low: 1))
        return token
    }

    private static func join(
        _ client: ClientID = web,
        family: UInt16 = 2,
        of host: ClientID = web,
        since: Double? = 10,
        at: Double = 20
    ) -> OfflineGrant.Command {
        .share(
            .join(
                OfflineGrant.Join(
                    client: client,
                    invitation: .continue(of: host, since: since.map(Sample.time)),
                    parent: code,
                    scope: Shared.scope,
                    at: Sample.time(at)
                ),
                refreshToken: Shared.issue(client, family: family),
                accessToken: token(client, at: at)
            )
        )
    }

    private static let host = Shared.open + [opened()]
    private static let here = host + [joined(web, depth: 0, at: 20)] + tokens(web, family: 2)
    private static let again =
        host + [.clientLeft(web, .tokenRevocation), opened(at: 30)]

    @Test("takes clients in", arguments: rows) func joins(_ row: Row) { row.check() }

    static let rows: [Row] = [
        Row(
            "the client that was opened, and what it held stays",
            given: host,
            when: join(),
            then: .success([joined(web, depth: 0, at: 20)] + tokens(web, family: 2))
        ),
        Row(
            "another one, a step further away",
            given: host,
            when: join(other),
            then: .success([joined(other, depth: 1, at: 20)] + tokens(other, family: 2))
        ),
        Row(
            "again: one more family, and nothing of it ends",
            given: here,
            when: join(family: 3, at: 30),
            then: .success(tokens(web, family: 3, at: 30))
        ),
        Row(
            "not by a view of an earlier stay of its host",
            given: again,
            when: join(other, since: 10, at: 40),
            then: .failure(.stranger)
        ),
        Row(
            "by a view of this stay",
            given: again,
            when: join(other, since: 30, at: 40),
            then: .success([joined(other, depth: 1, at: 40)] + tokens(other, family: 2, at: 40))
        ),
        Row(
            "by a code that says nothing of its time: those of before live a minute",
            given: again,
            when: join(other, since: nil, at: 40),
            then: .success([joined(other, depth: 1, at: 40)] + tokens(other, family: 2, at: 40))
        ),
        Row(
            "not by a host that has left",
            given: host + [.clientLeft(web, .tokenRevocation)],
            when: join(other),
            then: .failure(.stranger)
        ),
        Row(
            "not the app itself: it would lose the key it is bound to",
            given: host,
            when: join(Shared.Base.app),
            then: .failure(.stranger)
        ),
    ]

    @Test("coming in again is use, and its refresh token is of then") func isUse() throws {
        let history = Self.here + Self.tokens(Self.web, family: 3, at: 300)
        guard let session = try #require(OfflineGrant.fold(history)).openSession else {
            return #expect(Bool(false), "not open")
        }
        #expect(session.lastUsedAt == Sample.time(300))
        #expect(session.family(2)?.rotatedAt == Sample.time(20))
        #expect(session.family(3)?.rotatedAt == Sample.time(300))
    }

    @Test("of a client's families the eight newest live") func familiesEnd() throws {
        var history = Self.here
        for number: UInt16 in 3...12 { history += Self.tokens(Self.web, family: number) }
        guard let session = try #require(OfflineGrant.fold(history)).openSession else {
            return #expect(Bool(false), "not open")
        }
        let numbers = session.families.filter { $0.issue.client == Self.web }.map(\.issue.family)
        #expect(numbers == Array(5...12))
        #expect(session.family(1)?.issue.client == Shared.Base.app)
        #expect(session.nextFamily == 13)
        // What the client was given before it came again still counts.
        let first = UInt64(Sample.time(15).milliseconds)
        let token = TokenID(StreamID(high: first << 16 | 0x7000, low: 1))
        #expect(session.accepts(token, of: Self.web))
    }
}
