import Persistence
import Runtime
import Testing

@Suite("What an append lane says when it refuses") struct LaneWatchTests {
    private struct Case: CustomStringConvertible, Sendable {
        var sentence: String
        var phase: LaneWatch.Phase
        /// When the lane began what it does, was looked at and refuses, in ms.
        var began: Int64
        var looks: [Int64]
        var cause: LaneWatch.Cause
        var description: String { sentence }
    }

    private static let cases = [
        Case(
            sentence: "a call that PostgreSQL has not answered",
            phase: .calling,
            began: 10,
            looks: [100, 200, 300],
            cause: .call
        ),
        Case(
            sentence: "a lost answer that is looked up",
            phase: .lookingUp,
            began: 290,
            looks: [100, 200, 300],
            cause: .lookup
        ),
        Case(
            sentence: "a call as short as ever, behind many others",
            phase: .calling,
            began: 295,
            looks: [100, 200, 300],
            cause: .turn
        ),
        Case(
            sentence: "a loop that stood still while the answer was there",
            phase: .calling,
            began: 20,
            looks: [30, 290],
            cause: .standstill
        ),
        Case(
            sentence: "a short pause of the loop explains nothing",
            phase: .calling,
            began: 20,
            looks: [30, 170, 290],
            cause: .call
        ),
    ]

    private static func instant(_ milliseconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: UInt64(milliseconds) * 1_000_000)
    }

    private static let behind = LaneWatch.Standing(
        behind: .milliseconds(290),
        waiting: 7,
        inCall: 3
    )

    @Test("names what the lane waits for", arguments: cases) private func names(_ one: Case) {
        var watch = LaneWatch(log: .discarding)
        watch.enters(one.phase, at: Self.instant(one.began))
        for look in one.looks { watch.looks(at: Self.instant(look)) }
        #expect(watch.refuses(Self.behind, at: Self.instant(300)) == one.cause)
    }

    @Test("once an episode, which ends five seconds after the last refusal") func once() {
        var watch = LaneWatch(log: .discarding)
        #expect(watch.refuses(Self.behind, at: Self.instant(300)) != nil)
        #expect(watch.refuses(Self.behind, at: Self.instant(301)) == nil)
        #expect(watch.refuses(Self.behind, at: Self.instant(4_000)) == nil)
        #expect(watch.looks(at: Self.instant(8_999)) == nil)
        #expect(watch.isRefusing)
        #expect(watch.looks(at: Self.instant(9_000)) == 3)
        #expect(!watch.isRefusing)
        #expect(watch.refuses(Self.behind, at: Self.instant(9_100)) != nil)
    }

    @Test("a lane that rested did not stand still") func rested() {
        var watch = LaneWatch(log: .discarding)
        watch.looks(at: Self.instant(10))
        watch.rests()
        watch.enters(.calling, at: Self.instant(9_750))
        watch.looks(at: Self.instant(9_740))
        #expect(watch.refuses(Self.behind, at: Self.instant(10_000)) == .call)
    }
}
