import Domain
import TestSupport

extension LoginLinkTests {
    static let approving: [Scenario<LoginLink>] = [
        Scenario("automatic: here", given: open, when: approve(), then: .success([approval])),
        Scenario(
            "automatic: on another device",
            given: open,
            when: approve(sameDevice: false),
            then: .success([.approved(by: .native, sameDevice: false, generation: 1)])
        ),
        Scenario("confirm: here", given: confirm, when: approve(), then: .success([approval])),
        Scenario(
            "confirm: on another device a number is asked for",
            given: confirm,
            when: approve(sameDevice: false),
            then: .failure(.numberRequired)
        ),
        Scenario(
            "confirm: the right number approves",
            given: confirm,
            when: approve(sameDevice: false, number: 42),
            then: .success([.approved(by: .native, sameDevice: false, generation: 1)])
        ),
        Scenario(
            "confirm: a wrong number ends the request",
            given: confirm,
            when: approve(sameDevice: false, number: 17),
            then: .success([.denied(.numberMismatch)])
        ),
        Scenario("deny: here", given: deny, when: approve(), then: .success([approval])),
        Scenario(
            "deny: on another device the request goes on",
            given: deny,
            when: approve(sameDevice: false, number: 42),
            then: .failure(.crossDevice)
        ),
        Scenario(
            "the older mail's link is dead",
            given: resent,
            when: approve(generation: 1),
            then: .failure(.oldGeneration)
        ),
        Scenario(
            "the newer mail's link lives",
            given: resent,
            when: approve(generation: 2),
            then: .success([.approved(by: .native, sameDevice: true, generation: 2)])
        ),
        Scenario(
            "a link lives ten minutes",
            given: open,
            when: approve(at: tooLate),
            then: .failure(.expired)
        ),
        Scenario(
            "an old link says old before expired",
            given: resent,
            when: approve(generation: 1, at: tooLate),
            then: .failure(.oldGeneration)
        ),
        Scenario(
            "a second call after a lost answer hears approved",
            given: approved,
            when: approve(),
            then: .success([])
        ),
        Scenario(
            "also when the login is complete",
            given: consumed,
            when: approve(),
            then: .success([])
        ),
        Scenario(
            "but not after its life",
            given: approved,
            when: approve(at: tooLate),
            then: .failure(.expired)
        ),
        Scenario(
            "and not by another generation",
            given: consumed,
            when: approve(generation: 2),
            then: .failure(.oldGeneration)
        ),
        Scenario("denied is over", given: denied, when: approve(), then: .failure(.ended)),
        Scenario("superseded is over", given: superseded, when: approve(), then: .failure(.ended)),
        Scenario("no link is approved", when: approve(), then: .failure(.unknown)),
    ]
}
