import Domain
import TestSupport
import Testing

@Suite("SigningKeyRing") struct SigningKeyRingTests {
    static let hour = 3600.0
    static let staging = stage("a")
    static let staged = [event("a")]
    static let current = staged + [.promoted(kid: "a", emergency: true)]
    static let next = current + [event("b")]
    static let rotated =
        next + [
            .retired(kid: "a", at: Sample.time(24 * hour)),
            .promoted(kid: "b", emergency: false),
        ]
    static let removed = rotated + [.removed(kid: "a")]
    static let compromised = current + [.compromised(kid: "a", issuedBefore: Sample.time(9))]

    static func stage(
        _ kid: String,
        _ algorithm: SigningKeyRing.Algorithm = .es256
    ) -> SigningKeyRing.Command {
        .stage(kid: kid, algorithm, publicKey: Array("{}".utf8), at: Sample.time(0))
    }

    static func event(
        _ kid: String,
        _ algorithm: SigningKeyRing.Algorithm = .es256
    ) -> SigningKeyRing.Event {
        .staged(kid: kid, algorithm, publicKey: Array("{}".utf8), at: Sample.time(0))
    }

    static func promote(
        _ kid: String,
        emergency: Bool = false,
        hours: Double = 24
    ) -> SigningKeyRing.Command {
        .promote(kid: kid, emergency: emergency, at: Sample.time(hours * hour))
    }

    @Test("rotates", arguments: rotating)
    func rotates(_ row: Scenario<SigningKeyRing>) { row.check() }

    @Test("gives keys up", arguments: removing)
    func removes(_ row: Scenario<SigningKeyRing>) { row.check() }

    @Test("after the last key of an algorithm was given up the next one waits for nothing")
    func afterTheLast() {
        let given = Self.compromised + [Self.event("b")]
        Scenario<SigningKeyRing>(
            "at once",
            given: given,
            when: Self.promote("b", hours: 0),
            then: .success([.promoted(kid: "b", emergency: false)])
        ).check()
        // Of an algorithm that has never signed, verifiers may know the old keys only.
        Scenario<SigningKeyRing>(
            "a new algorithm's waits",
            given: given + [Self.event("r", .rs256)],
            when: Self.promote("r", hours: 0),
            then: .failure(.stagedTooRecently(until: Sample.time(24 * Self.hour)))
        ).check()
    }

    @Test("one current key per algorithm") func oneCurrentKey() throws {
        let history =
            Self.rotated + [Self.event("r", .rs256), .promoted(kid: "r", emergency: true)]
        let ring = try #require(SigningKeyRing.fold(history))
        #expect(ring.current(.es256)?.kid == "b")
        #expect(ring.current(.rs256)?.kid == "r")
        #expect(ring.current(.edDSA) == nil)
        #expect(ring.key("a")?.status == .previous)
        #expect(ring.key("a")?.retiredAt == Sample.time(24 * Self.hour))
        #expect(ring.key("z") == nil)
    }

    @Test("a key that is given up while it signs stops signing then, and no other does")
    func givenUp() throws {
        func compromised(_ kid: String, _ hours: Double) -> SigningKeyRing.Event {
            .compromised(kid: kid, issuedBefore: Sample.time(hours * Self.hour))
        }
        let late = Self.rotated + [compromised("a", 99)]
        let early = Self.next + [compromised("b", 9)]
        let ends: [([SigningKeyRing.Event], kid: String, Instant?)] = [
            (Self.compromised, "a", Sample.time(9)), (late, "a", Sample.time(24 * Self.hour)),
            (early, "b", nil), (early, "a", nil),
        ]
        for (history, kid, end) in ends {
            let ring = try #require(SigningKeyRing.fold(history))
            #expect(ring.key(kid)?.retiredAt == end)
        }
    }

    @Test("only possible events follow") func follows() {
        var pairs = Successions<SigningKeyRing>([
            "staged a": Self.event("a"), "staged b": Self.event("b"),
            "promoted a": .promoted(kid: "a", emergency: false),
            "promoted b": .promoted(kid: "b", emergency: false),
            "retired a": .retired(kid: "a", at: Sample.time(1)), "removed a": .removed(kid: "a"),
            "compromised a": .compromised(kid: "a", issuedBefore: Sample.time(1)),
        ])
        pairs.after("empty", [], may: ["staged a", "staged b"])
        pairs.after("staged", Self.staged, may: ["staged b", "promoted a", "compromised a"])
        pairs.after("current", Self.current, may: ["staged b", "retired a", "compromised a"])
        pairs.after("a second one staged", Self.next, may: ["retired a", "compromised a"])
        pairs.after(
            "the first one retired",
            Self.next + [.retired(kid: "a", at: Sample.time(1))],
            may: ["promoted b", "removed a", "compromised a"]
        )
        pairs.after("rotated", Self.rotated, may: ["removed a", "compromised a"])
        pairs.after("removed", Self.removed, may: ["compromised a"])
        pairs.after("compromised", Self.compromised, may: ["staged b"])
        pairs.check()
    }

    @Test("other aggregates' events are not its own") func unwraps() {
        #expect(SigningKeyRing.unwrap(SigningKeyRing.wrap(Self.staged[0])) == Self.staged[0])
        #expect(SigningKeyRing.unwrap(.subject(.enabled(at: Instant(microseconds: 0)))) == nil)
    }
}

extension SigningKeyRingTests {
    static let rotating: [Scenario<SigningKeyRing>] = [
        Scenario("a key is staged", when: staging, then: .success(staged)),
        Scenario(
            "a key is staged once",
            given: staged,
            when: staging,
            then: .failure(.knownKey)
        ),
        Scenario(
            "a removed key does not come back",
            given: removed,
            when: staging,
            then: .failure(.knownKey)
        ),
        Scenario(
            "a compromised key never comes back",
            given: compromised,
            when: staging,
            then: .failure(.compromised)
        ),
        Scenario(
            "the first key becomes current",
            given: staged,
            when: promote("a"),
            then: .success([.promoted(kid: "a", emergency: false)])
        ),
        Scenario(
            "after a day the next one replaces it",
            given: next,
            when: promote("b"),
            then: .success([
                .retired(kid: "a", at: Sample.time(24 * hour)),
                .promoted(kid: "b", emergency: false),
            ])
        ),
        Scenario(
            "sooner verifiers may not know it",
            given: next,
            when: promote("b", hours: 23.99),
            then: .failure(.stagedTooRecently(until: Sample.time(24 * hour)))
        ),
        Scenario(
            "unless it is an emergency",
            given: next,
            when: promote("b", emergency: true, hours: 0),
            then: .success([
                .retired(kid: "a", at: Sample.time(0)), .promoted(kid: "b", emergency: true),
            ])
        ),
        Scenario(
            "another algorithm's key replaces none",
            given: current + [event("r", .rs256)],
            when: promote("r"),
            then: .success([.promoted(kid: "r", emergency: false)])
        ),
        Scenario(
            "after a compromise there is none to replace",
            given: compromised + [event("b")],
            when: promote("b", emergency: true, hours: 0),
            then: .success([.promoted(kid: "b", emergency: true)])
        ),
        Scenario(
            "the current key is current",
            given: current,
            when: promote("a"),
            then: .success([])
        ),
        Scenario(
            "a previous key does not come back",
            given: rotated,
            when: promote("a"),
            then: .failure(.notStaged)
        ),
        Scenario(
            "a removed key is not promoted",
            given: removed,
            when: promote("a"),
            then: .failure(.notStaged)
        ),
        Scenario(
            "a compromised key is not promoted",
            given: compromised,
            when: promote("a", emergency: true),
            then: .failure(.compromised)
        ),
        Scenario(
            "an unknown key is not promoted",
            when: promote("a"),
            then: .failure(.unknownKey)
        ),
    ]

    static let removing: [Scenario<SigningKeyRing>] = [
        Scenario(
            "a previous key is removed when its last token is dead",
            given: rotated,
            when: .remove(kid: "a", at: Sample.time(26 * hour)),
            then: .success([.removed(kid: "a")])
        ),
        Scenario(
            "not sooner",
            given: rotated,
            when: .remove(kid: "a", at: Sample.time(26 * hour - 1)),
            then: .failure(.retiredTooRecently(until: Sample.time(26 * hour)))
        ),
        Scenario(
            "it is removed once",
            given: removed,
            when: .remove(kid: "a", at: Sample.time(99 * hour)),
            then: .success([])
        ),
        Scenario(
            "the current key stays",
            given: current,
            when: .remove(kid: "a", at: Sample.time(99 * hour)),
            then: .failure(.notPrevious)
        ),
        Scenario(
            "a staged key stays",
            given: staged,
            when: .remove(kid: "a", at: Sample.time(99 * hour)),
            then: .failure(.notPrevious)
        ),
        Scenario(
            "a compromised key is out already",
            given: compromised,
            when: .remove(kid: "a", at: Sample.time(99 * hour)),
            then: .failure(.compromised)
        ),
        Scenario(
            "an unknown key is not removed",
            when: .remove(kid: "a", at: Sample.time(99 * hour)),
            then: .failure(.unknownKey)
        ),
        Scenario(
            "a key is compromised",
            given: current,
            when: .compromise(kid: "a", issuedBefore: Sample.time(9)),
            then: .success([.compromised(kid: "a", issuedBefore: Sample.time(9))])
        ),
        Scenario(
            "a removed one, too",
            given: removed,
            when: .compromise(kid: "a", issuedBefore: Sample.time(9)),
            then: .success([.compromised(kid: "a", issuedBefore: Sample.time(9))])
        ),
        Scenario(
            "once",
            given: compromised,
            when: .compromise(kid: "a", issuedBefore: Sample.time(10)),
            then: .success([])
        ),
        Scenario(
            "an unknown one is not",
            when: .compromise(kid: "a", issuedBefore: Sample.time(9)),
            then: .failure(.unknownKey)
        ),
    ]
}
