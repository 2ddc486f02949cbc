import Domain
import TestSupport
import Testing

@Suite("Subject") struct SubjectTests {
    static let registered = Subject.Event.registered(
        source: .loginLink,
        email: Sample.sealed(1),
        emailVerified: true,
        at: Sample.time(0)
    )
    static let register = Subject.Command.register(
        source: .loginLink,
        email: Sample.sealed(1),
        emailVerified: true,
        at: Sample.time(0)
    )
    static let later = Sample.time(9)
    static let active = [registered]
    static let disabled = active + [.disabled(.operator)]
    static let erased = active + [.erased]

    static let rows: [Scenario<Subject>] = [
        Scenario("a new subject registers", when: register, then: .success([registered])),
        Scenario(
            "an active one is registered already",
            given: active,
            when: register,
            then: .failure(.alreadyRegistered)
        ),
        Scenario(
            "a disabled one is registered already",
            given: disabled,
            when: register,
            then: .failure(.alreadyRegistered)
        ),
        Scenario(
            "an erased one does not come back",
            given: erased,
            when: register,
            then: .failure(.alreadyRegistered)
        ),
        Scenario(
            "an active one is disabled",
            given: active,
            when: .disable(.operator),
            then: .success([.disabled(.operator)])
        ),
        Scenario(
            "a disabled one stays disabled",
            given: disabled,
            when: .disable(.operator),
            then: .success([])
        ),
        Scenario("nobody is disabled", when: .disable(.operator), then: .failure(.unknown)),
        Scenario(
            "an erased one is not disabled",
            given: erased,
            when: .disable(.operator),
            then: .failure(.erased)
        ),
        Scenario(
            "a disabled one is enabled",
            given: disabled,
            when: .enable(at: later),
            then: .success([.enabled(at: later)])
        ),
        Scenario(
            "an active one stays enabled",
            given: active,
            when: .enable(at: later),
            then: .success([])
        ),
        Scenario("nobody is enabled", when: .enable(at: later), then: .failure(.unknown)),
        Scenario(
            "erased is final",
            given: erased,
            when: .enable(at: later),
            then: .failure(.erased)
        ),
        Scenario(
            "an active one is erased",
            given: active,
            when: .erase,
            then: .success([.erased])
        ),
        Scenario(
            "a disabled one is erased",
            given: disabled,
            when: .erase,
            then: .success([.erased])
        ),
        Scenario("an erased one is erased", given: erased, when: .erase, then: .success([])),
        Scenario("nobody is erased", when: .erase, then: .failure(.unknown)),
    ]

    @Test("decides", arguments: rows) func decides(_ row: Scenario<Subject>) { row.check() }

    @Test("only possible events follow") func follows() {
        var pairs = Successions<Subject>([
            "registered": Self.registered, "disabled": .disabled(.operator),
            "enabled": .enabled(at: Self.later),
            "erased": .erased,
        ])
        pairs.after("absent", [], may: ["registered"])
        pairs.after("active", Self.active, may: ["disabled", "erased"])
        pairs.after("disabled", Self.disabled, may: ["enabled", "erased"])
        pairs.after("erased", Self.erased, may: [])
        pairs.check()
    }

    @Test("a login link counts while its user is active, and when it came after they were enabled")
    func links() {
        let before = Sample.time(8)
        let rows: [([Subject.Event], Instant, Bool)] = [
            ([], before, false), (Self.active, before, true), (Self.disabled, before, false),
            (Self.disabled + [.enabled(at: Self.later)], before, false),
            (Self.disabled + [.enabled(at: Self.later)], Self.later, false),
            (Self.disabled + [.enabled(at: Self.later)], Sample.time(10), true),
            (Self.erased, before, false),
        ]
        for (history, requested, counts) in rows {
            let state = Subject.fold(history)
            #expect(state?.honours(linkRequestedAt: requested) == counts, "\(history)")
        }
    }

    @Test("other aggregates' events are not its own") func unwraps() {
        #expect(Subject.unwrap(Subject.wrap(.enabled(at: Self.later))) == .enabled(at: Self.later))
        #expect(Subject.unwrap(.projectConfig(.resumed)) == nil)
    }
}
