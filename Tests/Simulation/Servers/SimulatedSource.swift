import Domain
import Publishing
import Runtime

// @unchecked: touched by the one thread that runs the simulation.
/// `chancery.events` as a projector's reader sees it: offsets mean the cluster that answers.
final class SimulatedSource: EventSource, @unchecked Sendable {
    private let topic: SimulatedTopic
    private let process: SimulatedProcess
    private var offsets: [Int32: Int64]?
    // Apart, so that what else is drawn stays what it was.
    private var dice: Dice
    /// A partition whose broker is slow to answer, if one is.
    private let slow: Int32?
    private var world: World { topic.world }

    init(_ topic: SimulatedTopic, _ process: SimulatedProcess) {
        self.topic = topic
        self.process = process
        let number = process.name.utf8.reduce(UInt64(7)) { $0 &* 31 &+ UInt64($1) }
        dice = Dice(seed: topic.world.seed ^ number, purpose: 7)
        let isSlow = dice.strikes(400)
        slow = isSlow ? Int32(dice.draw(topic.partitions.count)) : nil
    }

    var currentCluster: String? { topic.clusterID }

    func ends() async throws(ProjectionTrouble) -> (cluster: String, topic: TopicEnds) {
        try await ask { [topic] in (topic.clusterID, topic.ends) }
    }

    func tail(
        _ count: Int,
        before ends: TopicEnds
    ) async throws(ProjectionTrouble) -> [LogRecord] {
        try await ask { [topic] in topic.tail(count, before: ends) }
    }

    func start(from offsets: [Int32: Int64], onCluster id: String)
        async throws(ProjectionTrouble)
    {
        self.offsets = offsets
    }

    func stop() async { offsets = nil }

    func next(atMost limit: Int, within time: Duration)
        async throws(ProjectionTrouble) -> [EventSourceRecord]
    {
        let end = process.loop.now.advanced(by: time)
        while !world.isOver {
            // Brokers that are away are no error: there is nothing to read.
            let found: [EventSourceRecord]?
            do { found = try await ask { [self] in read(atMost: limit) } } catch { found = [] }
            guard let found else { throw .missedHistory }
            for item in found { offsets?[item.partition] = item.offset + 1 }
            if !found.isEmpty || process.loop.now >= end { return found }
            let next = process.loop.now.advanced(by: .milliseconds(20))
            try? await process.loop.sleep(until: min(next, end))
        }
        return []
    }

    /// A few records of a partition, now of this one, now of that; nil: its end is before them.
    private func read(atMost limit: Int) -> [EventSourceRecord]? {
        guard let reading = offsets else { return [] }
        var items: [EventSourceRecord] = []
        for (partition, records) in topic.partitions.enumerated() {
            let number = Int32(partition)
            let start = Int(reading[number, default: 0])
            guard start <= records.count else { return nil }
            var count = min(records.count - start, world.dice.draw(8), limit - items.count)
            if number == slow, !dice.strikes(60) { count = 0 }
            for offset in start..<(start + count) {
                items.append(
                    EventSourceRecord(
                        partition: number,
                        offset: Int64(offset),
                        record: records[offset]
                    )
                )
            }
        }
        return items
    }

    private func ask<Answer: Sendable>(
        _ serve: @escaping () -> Answer
    ) async throws(ProjectionTrouble) -> Answer {
        guard !topic.isAway else { throw .unavailable }
        let faults = ConnectionFaults<ProjectionTrouble>(
            notConnected: .unavailable,
            lost: .unavailable
        )
        return try await world.ask(from: process, to: .kafka, faults) { answer in answer(serve()) }
    }
}
