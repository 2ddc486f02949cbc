import Domain
import EventFormat
import Projections
import Publishing
import TestSupport
import Testing

@Suite("Projection") struct ProjectionTests {
    static let log = Sample.stream(7)

    static func progress(partitions: Int32 = 2, frontier: Int64 = -1) -> ProjectionProgress {
        ProjectionProgress(
            log: log,
            offsets: Dictionary(uniqueKeysWithValues: (0..<partitions).map { ($0, 0) }),
            applied: [:],
            frontier: frontier
        )
    }

    static func watermark(_ index: Int64, seconds: Double = 0) -> LogWatermark {
        LogWatermark(log: log, completeThrough: Sample.time(seconds), index: index)
    }

    @Test("drops what was applied, in each partition by itself") func duplicates() {
        var progress = Self.progress()
        for (index, partition, isNew) in [
            (0, 0, true), (2, 0, true), (0, 0, false), (2, 0, false), (1, 1, true), (1, 1, false),
            (3, 1, true),
        ] as [(Int64, Int32, Bool)] {
            #expect(progress.takes(index, in: partition) == isNew)
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

    @Test("gets the frontier back from watermarks of all partitions") func watermarks() {
        var progress = Self.progress(frontier: 4)
        progress.sees(Self.watermark(9, seconds: 9), in: 0)
        #expect(progress.frontier == 4)
        #expect(progress.complete == nil)
        _ = progress.takes(8, in: 1)
        progress.sees(Self.watermark(7, seconds: 7), in: 1)
        #expect(progress.frontier == 8)
        #expect(progress.complete == Self.watermark(7, seconds: 7))
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

    // MARK: - Batches

    static func record(_ index: Int64, of log: StreamID = log) throws -> PublishedRecord {
        let (event, hash) = RelayWorld.event(stream: 1, version: Int32(index) + 1)
        return try PublishedForm.record(
            of: event,
            at: PublishedForm.Place(
                log: log,
                logIndex: index,
                projectName: Sample.project("shop"),
                hash: hash,
                relayEpoch: 1
            )
        )
    }

    static func batch(_ records: [PublishedRecord]) throws -> ProjectionBatch {
        var batch = ProjectionBatch(after: progress())
        for (offset, record) in records.enumerated() {
            try batch.take(record, at: Int64(offset), in: 0) { _ in Sample.number(1) }
        }
        return batch
    }

    @Test("applies an event once, however often it comes") func once() throws {
        let batch = try Self.batch([Self.record(0), Self.record(0), Self.record(0)])
        #expect(batch.revocations.count == 1)
        #expect(batch.sessions.count == 1)
        #expect(batch.progress.offsets[0] == 3)
        #expect(batch.revocations.first?.logIndex == 0)
        #expect(batch.revocations.first?.reason == "logout")
    }

    @Test("passes over events of another log") func foreignLog() throws {
        let batch = try Self.batch([Self.record(0, of: Sample.stream(8))])
        #expect(batch.revocations.isEmpty)
        #expect(batch.progress.offsets[0] == 1)
        #expect(batch.progress.applied.isEmpty)
    }

    @Test("stops at a record it cannot read, and has taken nothing of it") func poison() throws {
        var record = try Self.record(0)
        record.value = Array("{".utf8)
        var batch = ProjectionBatch(after: Self.progress())
        #expect(throws: FormatError.self) {
            try batch.take(record, at: 0, in: 0) { _ in Sample.number(1) }
        }
        #expect(batch.revocations.isEmpty)
        #expect(batch.progress == Self.progress())
    }
}
