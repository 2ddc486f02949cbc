import Domain
import TestSupport
import Testing

@Suite("Consent") struct ConsentTests {
    static let client = Sample.client("third")
    static let openid = Sample.scope("openid")
    static let email = Sample.scope("email openid")
    static let given = [Consent.Event.given(client, openid)]
    static let withdrawn = given + [.withdrawn(client, by: .user)]

    static let rows: [Scenario<Consent>] = [
        Scenario("it is given", when: .give(client, openid), then: .success(given)),
        Scenario(
            "more is added to what was given",
            given: given,
            when: .give(client, Sample.scope("email")),
            then: .success([.given(client, email)])
        ),
        Scenario(
            "nothing new is nothing",
            given: [.given(client, email)],
            when: .give(client, openid),
            then: .success([])
        ),
        Scenario(
            "after a withdrawal it begins anew",
            given: withdrawn,
            when: .give(client, Sample.scope("email")),
            then: .success([.given(client, Sample.scope("email"))])
        ),
        Scenario(
            "it is withdrawn",
            given: given,
            when: .withdraw(by: .operator),
            then: .success([.withdrawn(client, by: .operator)])
        ),
        Scenario(
            "it is withdrawn once",
            given: withdrawn,
            when: .withdraw(by: .erasure),
            then: .success([])
        ),
        Scenario(
            "what was never given is not withdrawn",
            when: .withdraw(by: .user),
            then: .failure(.notGiven)
        ),
    ]

    @Test("decides", arguments: rows) func decides(_ row: Scenario<Consent>) { row.check() }

    @Test("only possible events follow") func follows() {
        var pairs = Successions<Consent>([
            "given": .given(Self.client, Self.email),
            "given less": .given(Self.client, Sample.scope("email")),
            "withdrawn": .withdrawn(Self.client, by: .user),
        ])
        pairs.after("absent", [], may: ["given", "given less"])
        pairs.after("given", Self.given, may: ["given", "withdrawn"])
        pairs.after("withdrawn", Self.withdrawn, may: ["given", "given less"])
        pairs.check()
    }

    @Test("other aggregates' events are not its own") func unwraps() {
        #expect(Consent.unwrap(Consent.wrap(Self.given[0])) == Self.given[0])
        #expect(Consent.unwrap(.subject(.enabled(at: Instant(microseconds: 0)))) == nil)
    }
}
