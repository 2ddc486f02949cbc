import Domain
import TestSupport
import Testing

@Suite("LoginID") struct LoginIDTests {
    static let mine = Sample.subject(1)
    static let other = Sample.subject(2)
    static let value = Sample.sealed(1)
    static let claimed = LoginID.Event.claimed(by: mine, kind: .email, value: value)
    static let released = LoginID.Event.released(by: mine, .changed)

    static let rows: [Scenario<LoginID>] = [
        Scenario(
            "a free address is claimed",
            when: .claim(by: mine, kind: .email, value: value),
            then: .success([claimed])
        ),
        Scenario(
            "claiming one's own changes nothing",
            given: [claimed],
            when: .claim(by: mine, kind: .email, value: Sample.sealed(2)),
            then: .success([])
        ),
        Scenario(
            "another's is taken",
            given: [claimed],
            when: .claim(by: other, kind: .email, value: value),
            then: .failure(.taken)
        ),
        Scenario(
            "a released one is claimed by another",
            given: [claimed, released],
            when: .claim(by: other, kind: .email, value: value),
            then: .success([.claimed(by: other, kind: .email, value: value)])
        ),
        Scenario(
            "one's own is released",
            given: [claimed],
            when: .release(by: mine, .changed),
            then: .success([released])
        ),
        Scenario(
            "another's is not released",
            given: [claimed],
            when: .release(by: other, .changed),
            then: .failure(.notTheirs)
        ),
        Scenario(
            "a free one is free",
            when: .release(by: mine, .erasure),
            then: .success([])
        ),
    ]

    @Test("decides", arguments: rows) func decides(_ row: Scenario<LoginID>) { row.check() }

    @Test("only possible events follow") func follows() {
        var pairs = Successions<LoginID>([
            "claimed": Self.claimed, "released": Self.released,
            "released by another": .released(by: Self.other, .changed),
        ])
        pairs.after("free", [], may: ["claimed"])
        pairs.after("claimed", [Self.claimed], may: ["released"])
        pairs.after("free again", [Self.claimed, Self.released], may: ["claimed"])
        pairs.check()
    }

    @Test("other aggregates' events are not its own") func unwraps() {
        #expect(LoginID.unwrap(LoginID.wrap(Self.claimed)) == Self.claimed)
        #expect(LoginID.unwrap(.subject(.enabled(at: Instant(microseconds: 0)))) == nil)
    }
}
