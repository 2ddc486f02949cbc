import Domain
import TestSupport
import Testing

@Suite("PreAuthenticatedURL") struct PreAuthenticatedURLTests {
    typealias Row = Scenario<PreAuthenticatedURL>

    static let ticket = PreAuthenticatedURL.Ticket(
        session: Sample.session(1),
        client: Sample.client("web"),
        scope: Sample.scope("openid"),
        secret: Sample.digest(1),
        expiresAt: Sample.time(60)
    )
    static let consumed = PreAuthenticatedURL.Event.consumed(
        Sample.token(2),
        expiresAt: Sample.time(900)
    )

    static func opening(
        secret: UInt8 = 1,
        client: String = "web",
        session: UInt64 = 1,
        at: Double = 10
    ) -> PreAuthenticatedURL.Command {
        .open(
            PreAuthenticatedURL.Opening(
                secret: Sample.digest(secret),
                client: Sample.client(client),
                session: Sample.session(session),
                token: Sample.token(2),
                tokenExpiresAt: Sample.time(900),
                at: Sample.time(at)
            )
        )
    }

    static let rows: [Row] = [
        Row("is issued", when: .issue(ticket), then: .success([.issued(ticket)])),
        Row(
            "is issued once",
            given: [.issued(ticket)],
            when: .issue(ticket),
            then: .failure(.alreadyIssued)
        ),
        Row(
            "opens with everything right",
            given: [.issued(ticket)],
            when: opening(),
            then: .success([consumed])
        ),
        Row(
            "a wrong secret is one that never was",
            given: [.issued(ticket)],
            when: opening(secret: 9, client: "other", session: 9, at: 99),
            then: .failure(.unknown)
        ),
        Row(
            "another client's does not burn it",
            given: [.issued(ticket)],
            when: opening(client: "other"),
            then: .failure(.otherClient)
        ),
        Row(
            "another session's hint does not",
            given: [.issued(ticket)],
            when: opening(session: 9),
            then: .failure(.otherSession)
        ),
        Row(
            "it is dead at its end",
            given: [.issued(ticket)],
            when: opening(at: 60),
            then: .failure(.expired)
        ),
        Row(
            "it opens once",
            given: [.issued(ticket), consumed],
            when: opening(),
            then: .failure(.consumed)
        ),
        Row("it must have been issued", when: opening(), then: .failure(.unknown)),
    ]

    @Test("decides", arguments: rows) func decides(_ row: Row) { row.check() }

    @Test("only possible events follow") func follows() {
        var pairs = Successions<PreAuthenticatedURL>([
            "issued": .issued(Self.ticket), "consumed": Self.consumed,
        ])
        pairs.after("absent", [], may: ["issued"])
        pairs.after("issued", [.issued(Self.ticket)], may: ["consumed"])
        pairs.after("consumed", [.issued(Self.ticket), Self.consumed], may: [])
        pairs.check()
    }

    @Test("other aggregates' events are not its own") func unwraps() {
        #expect(
            PreAuthenticatedURL.unwrap(PreAuthenticatedURL.wrap(Self.consumed)) == Self.consumed
        )
        #expect(PreAuthenticatedURL.unwrap(.subject(.enabled(at: Instant(microseconds: 0)))) == nil)
    }
}
