import Domain
import EventFormat
import InMemory
import Publishing
import TestSupport
import Testing

@Suite("Watermark") struct WatermarkTests {
    @Test("goes to every partition, once a second, with the last number") func everyPartition()
        async throws
    {
        let world = RelayWorld(partitions: 3)
        world.append(1, 2)
        var (relay, _) = world.relay()
        try await relay.turns()
        for _ in 0..<10 {
            world.clock.advance(.seconds(1))
            try await relay.turns(4)
        }
        let watermarks = world.watermarks
        #expect(watermarks.count == 3)
        for ofPartition in watermarks {
            #expect(9...12 ~= ofPartition.count)
            #expect(ofPartition.last?.index == 1)
            #expect(
                ofPartition.map(\.completeThrough) == ofPartition.map(\.completeThrough).sorted()
            )
        }
        let last = try #require(watermarks.first?.last)
        #expect(last.completeThrough <= world.log.now.adding(seconds: -8))
        #expect(last.log == RelayWorld.id)
        #expect(try #require(relay.status.completeThrough) >= last.completeThrough)
    }

    @Test("does not pass an open transaction") func held() async throws {
        let world = RelayWorld()
        var (relay, _) = world.relay()
        for _ in 0..<3 {
            world.clock.advance(.seconds(1))
            try await relay.turns(4)
        }
        let before = world.log.now
        let open = world.log.begin()
        for _ in 0..<30 {
            world.clock.advance(.seconds(1))
            try await relay.turns(4)
        }
        let held = try #require(relay.status.completeThrough)
        #expect(held <= before.adding(seconds: -6))
        #expect(relay.status.fenceAgeMilliseconds > 25_000)
        world.log.commit(open, [RelayWorld.event(stream: 1)])
        for _ in 0..<3 {
            world.clock.advance(.seconds(1))
            try await relay.turns(4)
        }
        #expect(try #require(relay.status.completeThrough) > held)
        #expect(world.watermarks.joined().contains { $0.index == 0 })
        #expect(relay.status.fenceAgeMilliseconds < 3000)
    }

    @Test("does not stand behind a row that is on the topic, and that nobody has recorded")
    func unrecorded() async throws {
        let world = RelayWorld(partitions: 1)
        var (relay, _) = world.relay()
        for _ in 0..<3 {
            world.clock.advance(.seconds(1))
            try await relay.turns(4)
        }
        // The row arrives, and so does a watermark that was begun behind it; nobody hears of it.
        world.topic.fail(.answerLost)
        world.append(1)
        while world.indexes.isEmpty { try await relay.turn() }
        let known = try #require(world.watermarks.first?.last)
        world.topic.append(known.record(at: world.log.now))
        let before = world.watermarks.joined().count
        #expect(world.log.ledger.isEmpty)
        // A watermark is due before the row goes out again.
        world.clock.advance(.seconds(2))
        while world.log.ledger.isEmpty { try await relay.turn() }
        #expect(world.events.joined().map(\.index) == [0, 0])
        #expect(world.watermarks.joined().count == before)
        for _ in 0..<3 {
            world.clock.advance(.seconds(1))
            try await relay.turns(4)
        }
        #expect(world.watermarks.joined().last?.index == 0)
    }

    @Test("has no number to be counted by") func form() throws {
        let watermark = LogWatermark(
            log: Sample.stream(1),
            completeThrough: Sample.time(3),
            index: 812_349
        )
        let record = watermark.record(at: Sample.time(9))
        #expect(record[header: "ce_sequence"] == nil)
        #expect(
            String(decoding: record.value, as: UTF8.self)
                == #"{"complete_through_at":1795232857473,"log_index":812349}"#
        )
        #expect(LogRecord(record) == .watermark(watermark))
    }

    // MARK: - Sampling

    static func fence(_ second: Double, oldest: UInt64, next: UInt64) -> Fence {
        Fence(at: Sample.time(second), oldestOpen: oldest, nextToBegin: next)
    }

    static func place(_ xid: UInt64) -> LogPosition {
        LogPosition(epoch: 1, xid: xid, position: 1)
    }

    /// What was read is published at once.
    static func publish(
        _ sampling: inout WatermarkSampling,
        upTo place: LogPosition,
        isAll: Bool
    ) {
        if let instant = sampling.closable(upTo: place, isAll: isAll) {
            sampling.close(through: instant)
        }
    }

    @Test("is not closed by rows that were read before it was taken") func readBefore() throws {
        var sampling = WatermarkSampling()
        sampling.sample(Self.fence(1, oldest: 12, next: 12))
        let read = sampling.closable(upTo: Self.place(11), isAll: true)
        // A transaction that the read could not see ends, and the next sample knows it.
        sampling.sample(Self.fence(2, oldest: 14, next: 14))
        sampling.close(through: try #require(read))
        #expect(sampling.completeThrough == Sample.time(1).adding(seconds: -8))
    }

    @Test("closes a sample when its transactions have ended and all rows are out") func closes() {
        var sampling = WatermarkSampling()
        sampling.sample(Self.fence(1, oldest: 10, next: 12))
        Self.publish(&sampling, upTo: Self.place(5), isAll: true)
        #expect(sampling.completeThrough == nil)
        sampling.sample(Self.fence(2, oldest: 12, next: 13))
        Self.publish(&sampling, upTo: Self.place(5), isAll: false)
        #expect(sampling.completeThrough == nil)
        Self.publish(&sampling, upTo: Self.place(5), isAll: true)
        #expect(sampling.completeThrough == Sample.time(1).adding(seconds: -8))
    }

    @Test("closes a sample under load, when the cursor has passed its transactions") func load() {
        var sampling = WatermarkSampling()
        sampling.sample(Self.fence(1, oldest: 12, next: 12))
        Self.publish(&sampling, upTo: Self.place(11), isAll: false)
        #expect(sampling.completeThrough == nil)
        Self.publish(&sampling, upTo: Self.place(12), isAll: false)
        #expect(sampling.completeThrough == Sample.time(1).adding(seconds: -8))
    }

    @Test("keeps a bounded number of samples, and goes back with the clock alone") func bounded() {
        var sampling = WatermarkSampling()
        for second in 0..<1000 {
            sampling.sample(Self.fence(Double(second), oldest: 1, next: UInt64(second) + 2))
        }
        sampling.sample(Self.fence(1000, oldest: 5000, next: 5000))
        Self.publish(&sampling, upTo: Self.place(1), isAll: true)
        let first = sampling.completeThrough
        #expect(first == Sample.time(63).adding(seconds: -8))
        sampling.sample(Self.fence(10, oldest: 5000, next: 5000))
        #expect(sampling.completeThrough == nil)
        // Read before, arrived after it.
        sampling.close(through: Sample.time(1000))
        #expect(sampling.completeThrough == nil)
        Self.publish(&sampling, upTo: Self.place(1), isAll: true)
        #expect(sampling.completeThrough == Sample.time(10).adding(seconds: -8))
    }
}
