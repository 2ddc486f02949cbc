import Domain
import TestSupport
import Testing

@Suite("BiometricKey") struct BiometricKeyTests {
    static let app = Sample.client("app")
    static let registration = BiometricKey.Registration(
        subject: Sample.subject(1),
        client: app,
        kid: "kid-0001",
        key: DeviceKey(thumbprint: Sample.key(2), jwk: [1]),
        algorithm: "ES256",
        enabledAt: Sample.time(0)
    )
    static let enabled: [BiometricKey.Event] = [.enabled(registration)]
    static let disabled = enabled + [.disabled(.user)]
    static let claimed: [BiometricKey.Event] = [.materialClaimed(kid: "kid-0001")]

    static func failures(_ count: Int64, at: Double = 10) -> [BiometricKey.Event] {
        (1...count).map { .verificationFailed(count: $0, at: Sample.time(at)) }
    }

    static func use(by client: ClientID = app, at: Double = 20) -> BiometricKey.Command {
        .use(.authenticate, by: client, session: Sample.session(3), at: Sample.time(at))
    }

    static func used(at: Double = 20) -> BiometricKey.Event {
        .used(.authenticate, session: Sample.session(3), at: Sample.time(at))
    }

    static let rows: [Scenario<BiometricKey>] = [
        Scenario(
            "a new kid is registered",
            when: .enable(registration),
            then: .success(enabled)
        ),
        Scenario(
            "a kid is registered once",
            given: enabled,
            when: .enable(registration),
            then: .failure(.taken)
        ),
        Scenario(
            "a kid that was disabled is never used again",
            given: disabled,
            when: .enable(registration),
            then: .failure(.taken)
        ),
        Scenario(
            "material is claimed once",
            when: .claim(kid: "kid-0001"),
            then: .success(claimed)
        ),
        Scenario(
            "not twice, not even for the same kid",
            given: claimed,
            when: .claim(kid: "kid-0001"),
            then: .failure(.taken)
        ),
        Scenario("its client logs in", given: enabled, when: use(), then: .success([used()])),
        Scenario(
            "another client does not",
            given: enabled,
            when: use(by: Sample.client("other")),
            then: .failure(.otherClient)
        ),
        Scenario(
            "a disabled key does not",
            given: disabled,
            when: use(),
            then: .failure(.disabled)
        ),
        Scenario("no key does not", when: use(), then: .failure(.unknown)),
        Scenario("material does not", given: claimed, when: use(), then: .failure(.unknown)),
        Scenario(
            "nine wrong signatures do not keep the right one out",
            given: enabled + failures(9),
            when: use(),
            then: .success([used()])
        ),
        Scenario(
            "ten do, for as long as the window",
            given: enabled + failures(10),
            when: use(at: 909),
            then: .failure(.paused(until: Sample.time(910)))
        ),
        Scenario(
            "ten that took a quarter of an hour count together, and pause it in full",
            given: enabled + (0..<10).map { failures(1, at: Double(80 * $0))[0] },
            when: use(at: 1619),
            then: .failure(.paused(until: Sample.time(1620)))
        ),
        Scenario(
            "ten that took longer do not",
            given: enabled + (0..<10).map { failures(1, at: Double(100 * $0))[0] },
            when: use(at: 901),
            then: .success([used(at: 901)])
        ),
        Scenario(
            "and then no longer",
            given: enabled + failures(10),
            when: use(at: 910),
            then: .success([used(at: 910)])
        ),
        Scenario(
            "a login forgives earlier ones",
            given: enabled + failures(9) + [used()] + failures(1, at: 21),
            when: use(at: 22),
            then: .success([used(at: 22)])
        ),
        Scenario(
            "wrong signatures are counted within the window",
            given: enabled + failures(3),
            when: .recordFailure(at: Sample.time(12)),
            then: .success([.verificationFailed(count: 4, at: Sample.time(12))])
        ),
        Scenario(
            "older ones are not",
            given: enabled + failures(3),
            when: .recordFailure(at: Sample.time(911)),
            then: .success([.verificationFailed(count: 1, at: Sample.time(911))])
        ),
        Scenario(
            "a paused key counts no more",
            given: enabled + failures(10),
            when: .recordFailure(at: Sample.time(12)),
            then: .failure(.paused(until: Sample.time(910)))
        ),
        Scenario(
            "a disabled one neither",
            given: disabled,
            when: .recordFailure(at: Sample.time(12)),
            then: .failure(.disabled)
        ),
        Scenario(
            "it is disabled",
            given: enabled,
            when: .disable(.user),
            then: .success([.disabled(.user)])
        ),
        Scenario("once", given: disabled, when: .disable(.operator), then: .success([])),
        Scenario("none is not", when: .disable(.user), then: .failure(.unknown)),
    ]

    @Test(arguments: rows) func follows(_ row: Scenario<BiometricKey>) { row.check() }

    @Test("which events may follow") func successions() {
        var pairs = Successions<BiometricKey>([
            "enabled": Self.enabled[0], "claimed": Self.claimed[0], "used": Self.used(),
            "failed": .verificationFailed(count: 1, at: Sample.time(1)),
            "disabled": .disabled(.user),
        ])
        pairs.after("absent", [], may: ["enabled", "claimed"])
        pairs.after("enabled", Self.enabled, may: ["used", "failed", "disabled"])
        pairs.after("claimed", Self.claimed, may: [])
        pairs.after("disabled", Self.disabled, may: [])
        pairs.check()
    }

    @Test("other aggregates' events are not its own") func unwraps() {
        #expect(BiometricKey.unwrap(BiometricKey.wrap(Self.used())) == Self.used())
        #expect(BiometricKey.unwrap(.subject(.enabled(at: Instant(microseconds: 0)))) == nil)
    }
}
