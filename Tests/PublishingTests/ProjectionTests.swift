import Domain
import EventFormat
import Publishing
import TestSupport
import Testing

@Suite("Projection progress") struct ProjectionTests {
    static let log = Sample.stream(7)

    static func progress(
        partitions: Int32 = 2,
        frontier: Int64 = -1,
        blocked: [BlockedKey] = []
    ) -> ProjectionProgress {
        ProjectionProgress(
            log: log,
            offsets: Dictionary(uniqueKeysWithValues: (0..<partitions).map { ($0, 0) }),
            applied: [:],
            frontier: frontier,
            blocked: blocked
        )
    }

    static func watermark(_ index: Int64, seconds: Double = 0) -> LogWatermark {
        LogWatermark(log: log, completeThrough: Sample.time(seconds), index: index)
    }

    static func key(_ index: Int64) -> BlockedKey {
        BlockedKey(
            key: Array("k\(index)".utf8),
            partition: 0,
            offset: 0,
            index: index,
            stream: nil,
            reason: "test"
        )
    }

    @Test("drops what was applied, in each partition by itself") func duplicates() {
        var progress = Self.progress()
        for (index, partition, isNew) in [
            (0, 0, true), (2, 0, true), (0, 0, false), (2, 0, false), (1, 1, true), (1, 1, false),
            (3, 1, true),
        ] as [(Int64, Int32, Bool)] {
            let taken = progress.takes(index, in: partition)
            #expect(taken == isNew)
        }
        #expect(progress.applied == [0: 2, 1: 3])
    }

    @Test("knows up to where nothing is missing") func frontier() {
        var progress = Self.progress()
        _ = progress.takes(1, in: 0)
        _ = progress.takes(3, in: 0)
        #expect(progress.frontier == -1)
        _ = progress.takes(0, in: 1)
        #expect(progress.frontier == 1)
        _ = progress.takes(2, in: 1)
        #expect(progress.frontier == 3)
    }

    @Test("claims what the watermarks of all partitions say") func watermarks() {
        var progress = Self.progress(frontier: 4)
        progress.sees(Self.watermark(6, seconds: 9), in: 0)
        #expect(progress.complete == nil)
        _ = progress.takes(5, in: 1)
        progress.sees(Self.watermark(5, seconds: 7), in: 1)
        #expect(progress.complete == Self.watermark(5, seconds: 7))
        #expect(!progress.hasHole)
    }

    @Test("a number that every partition has passed and none has shown is a hole") func hole() {
        var progress = Self.progress(frontier: 4)
        _ = progress.takes(6, in: 0)
        progress.sees(Self.watermark(6), in: 0)
        #expect(!progress.hasHole)
        progress.sees(Self.watermark(6), in: 1)
        #expect(progress.hasHole)
        #expect(progress.frontier == 4)
        #expect(progress.complete == nil)
        progress.catchesUp(to: 6)
        progress.resumes(at: [0: 1, 1: 1])
        #expect(!progress.hasHole)
    }

    @Test("passes over watermarks of another log") func otherLog() {
        var progress = Self.progress(partitions: 1)
        let other = LogWatermark(
            log: Sample.stream(8),
            completeThrough: Sample.time(0),
            index: 5
        )
        progress.sees(other, in: 0)
        #expect(progress.complete == nil)
        #expect(progress.frontier == -1)
    }

    @Test("claims nothing from a stopped key on, and catches up when it goes on")
    func stopped() {
        var progress = Self.progress(partitions: 1, blocked: [Self.key(6)])
        for index in 0...8 as ClosedRange<Int64> {
            _ = progress.takes(index, in: 0)
            let seconds = min(Double(index), 5) + (index > 5 ? 3 : 0)
            progress.sees(Self.watermark(index, seconds: seconds), in: 0)
        }
        #expect(progress.complete == Self.watermark(5, seconds: 5))
        // Others go on: their rows are served.
        #expect(progress.frontier == 8)
        progress.block(Self.key(3))
        progress.release(Self.key(6).key)
        #expect(progress.complete == Self.watermark(5, seconds: 5))
        progress.release(Self.key(3).key)
        #expect(progress.complete == Self.watermark(8, seconds: 8))
    }

    @Test("a claim never shrinks: a watermark may come again") func again() {
        var progress = Self.progress(partitions: 1, frontier: 5)
        progress.sees(Self.watermark(5, seconds: 5), in: 0)
        progress.sees(Self.watermark(3, seconds: 3), in: 0)
        #expect(progress.complete == Self.watermark(5, seconds: 5))
    }

    @Test("believes no watermark of a time that has not come, and takes back what one said")
    func ahead() {
        var progress = Self.progress(partitions: 1, frontier: 5)
        let now = Sample.time(100)
        progress.sees(Self.watermark(5, seconds: 102), in: 0, at: now)
        #expect(progress.complete == Self.watermark(5, seconds: 102))
        progress.sees(Self.watermark(5, seconds: 3700), in: 0, at: now)
        #expect(progress.complete == Self.watermark(5, seconds: 102))
        // This clock was ahead, too, and is mended: it is earlier than it was.
        let mended = Sample.time(50)
        progress.sees(Self.watermark(5, seconds: 3650), in: 0, at: mended)
        #expect(progress.complete == nil)
        progress.sees(Self.watermark(5, seconds: 43), in: 0, at: mended)
        #expect(progress.complete == Self.watermark(5, seconds: 43))
    }

    @Test("reads on from a topic that has everything up to the frontier") func resumes() {
        var progress = Self.progress(frontier: 4)
        _ = progress.takes(6, in: 0)
        progress.catchesUp(to: 9)
        progress.resumes(at: [0: 70, 1: 80])
        #expect(progress.offsets == [0: 70, 1: 80])
        #expect(progress.applied == [0: 9, 1: 9])
        #expect(!progress.isNew(9, in: 1))
        _ = progress.takes(10, in: 1)
        #expect(progress.frontier == 10)
    }
}
