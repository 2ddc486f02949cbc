import Domain
import TestSupport
import Testing

@Suite("Spent") struct SpentTests {
    static let spent = Spent.Event.spent(.clientAssertion, expiresAt: Sample.time(60))

    static let rows: [Scenario<Spent>] = [
        Scenario(
            "an artefact is spent",
            when: .spend(.clientAssertion, expiresAt: Sample.time(60)),
            then: .success([spent])
        ),
        Scenario(
            "its expiry is kept in whole milliseconds",
            when: .spend(.clientAssertion, expiresAt: Sample.time(60.000_999)),
            then: .success([spent])
        ),
        Scenario(
            "it is spent once",
            given: [spent],
            when: .spend(.clientAssertion, expiresAt: Sample.time(60)),
            then: .failure(.alreadySpent)
        ),
    ]

    @Test("decides", arguments: rows) func decides(_ row: Scenario<Spent>) { row.check() }

    @Test("only possible events follow") func follows() {
        var pairs = Successions<Spent>(["spent": Self.spent])
        pairs.after("unspent", [], may: ["spent"])
        pairs.after("spent", [Self.spent], may: [])
        pairs.check()
    }

    @Test("other aggregates' events are not its own") func unwraps() {
        #expect(Spent.unwrap(Spent.wrap(Self.spent)) == Self.spent)
        #expect(Spent.unwrap(.subject(.enabled(at: Instant(microseconds: 0)))) == nil)
    }
}
