@testable import Publishing
import Testing

@Suite("The watch over a reader") struct ReadingWatchTests {
    private static let second: UInt64 = 1_000_000_000

    /// A watch over two partitions, of which the second moves no more for `seconds`.
    private static func still(for seconds: UInt64) -> (ReadingWatch, isInDoubt: Bool) {
        var watch = ReadingWatch(at: 0)
        var isInDoubt = watch.doubts([0: 5, 1: 5], at: 0)
        for second in 1...seconds {
            isInDoubt = watch.doubts([0: 5 + Int64(second), 1: 5], at: second * Self.second)
        }
        return (watch, isInDoubt)
    }

    @Test("has doubts when one partition stands still for twenty seconds")
    func doubts() {
        #expect(!Self.still(for: 19).isInDoubt)
        #expect(Self.still(for: 20).isInDoubt)
    }

    @Test("has none while all move, however long") func moving() {
        var watch = ReadingWatch(at: 0)
        for second in 0..<100 as Range<UInt64> {
            let next = Int64(second)
            let isInDoubt = watch.doubts([0: next, 1: next], at: second * Self.second)
            #expect(!isInDoubt)
        }
    }

    @Test("has none when nobody looked meanwhile, as in a process that stood still")
    func gap() {
        var (watch, _) = Self.still(for: 9)
        let isInDoubt = watch.doubts([0: 20, 1: 5], at: 30 * Self.second)
        #expect(!isInDoubt)
        let isStillInDoubt = watch.doubts([0: 20, 1: 5], at: 39 * Self.second)
        #expect(!isStillInDoubt)
    }

    @Test("judges later when handing over has helped nobody, and asks as often as ever")
    func longer() {
        var (watch, _) = Self.still(for: 20)
        let next: [Int32: Int64] = [0: 25, 1: 5]
        let patience = 40 * Self.second
        watch.hear(Self.more, next, at: 20 * Self.second)
        let isAskedAtOnce = watch.doubts(next, at: 39 * Self.second)
        #expect(!isAskedAtOnce)
        let isStuckEarly = watch.isStuck(next, at: 39 * Self.second, after: patience)
        #expect(!isStuckEarly)
        let isAskedAgain = watch.doubts(next, at: 40 * Self.second)
        #expect(isAskedAgain)
        let isStuck = watch.isStuck(next, at: 40 * Self.second, after: patience)
        #expect(isStuck)
    }

    @Test("takes a partition for stuck that has more, when that does not come") func stuck() {
        var (watch, _) = Self.still(for: 20)
        let next: [Int32: Int64] = [0: 25, 1: 5]
        watch.hear(Self.more, next, at: 20 * Self.second)
        let isStuckAtOnce = watch.isStuck(next, at: 24 * Self.second)
        #expect(!isStuckAtOnce)
        let isAskedAgain = watch.doubts(next, at: 24 * Self.second)
        #expect(!isAskedAgain)
        let isStuck = watch.isStuck(next, at: 25 * Self.second)
        #expect(isStuck)
    }

    @Test("not one that has no more, nor one that has moved since") func sound() {
        let next: [Int32: Int64] = [0: 25, 1: 5]
        var (idle, _) = Self.still(for: 20)
        let ends = TopicEnds(lows: [0: 0, 1: 0], highs: [0: 40, 1: 5])
        idle.hear(ends, next, at: 20 * Self.second)
        let isIdleStuck = idle.isStuck(next, at: 30 * Self.second)
        #expect(!isIdleStuck)
        var (late, _) = Self.still(for: 20)
        late.hear(Self.more, next, at: 20 * Self.second)
        let isLateStuck = late.isStuck([0: 25, 1: 6], at: 25 * Self.second)
        #expect(!isLateStuck)
    }

    @Test("knows whether all have moved since it began") func moved() {
        var (watch, _) = Self.still(for: 9)
        #expect(!watch.hasMoved)
        let isInDoubt = watch.doubts([0: 15, 1: 6], at: 10 * Self.second)
        #expect(!isInDoubt)
        #expect(watch.hasMoved)
    }

    private static let more = TopicEnds(lows: [0: 0, 1: 0], highs: [0: 25, 1: 6])
}
