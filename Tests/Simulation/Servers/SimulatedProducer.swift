import EventFormat
import Publishing
import Runtime

// @unchecked: touched by the one thread that runs the simulation.
/// An idempotent, gapless producer: batches arrive in order and once, each whole or from its start,
/// and after one that did not arrive whole none does.
final class SimulatedProducer: EventPublisher, @unchecked Sendable {
    private enum Outcome { case settled, broken, pending }

    /// Begun and not told of.
    private final class Batch {
        let records: [(Int, PublishedRecord)]
        let generation: Int
        let isBatch: Bool
        /// Behind the last record of it, of each partition, once it has arrived.
        var ends: [Int32: Int64] = [:]
        var outcome = Outcome.pending
        var isSent = false
        var hasArrived = false

        init(_ records: [(Int, PublishedRecord)], _ generation: Int, isBatch: Bool) {
            self.records = records
            self.isBatch = isBatch
            self.generation = generation
        }
    }

    private let topic: SimulatedTopic
    private let process: SimulatedProcess
    /// Raised by `renew`: what an older producer hears does not count.
    private var generation = 0
    private var batches: [Batch] = []
    private(set) var acknowledged: [Int32: Int64] = [:]
    /// The era its connections are of, in which the cluster was asked for its id: they end with it,
    /// and a producer without connections sends nothing more.
    private var boundTo: Int?
    private var world: World { topic.world }

    init(of topic: SimulatedTopic, in process: SimulatedProcess) {
        self.topic = topic
        self.process = process
    }

    func clusterID() async throws(PublisherError) -> String {
        let mine = generation
        if let boundTo, boundTo != topic.era { throw .broken }
        do {
            return try await ask { [self] in
                if mine == generation { boundTo = boundTo ?? topic.era }
                return topic.clusterID
            }
        } catch {
            // A client may ask a leader that is gone for ever: the next question is another's.
            if mine == generation { (boundTo, acknowledged) = (nil, [:]) }
            throw error
        }
    }

    func ends() async throws(PublisherError) -> TopicEnds {
        guard boundTo == topic.era, !topic.isLeaderless else { throw .broken }
        return try await ask { [topic] in topic.ends }
    }

    func tail(
        _ count: Int,
        before ends: TopicEnds
    ) async throws(PublisherError) -> [LogRecord] {
        guard !topic.isLeaderless else { throw .unavailable }
        return try await ask { [topic] in topic.tail(count, before: ends) }
    }

    func submit(_ records: [PublishedRecord]) async {
        begin(records.map { (topic.partition(of: $0.key), $0) }, isBatch: true)
    }

    func announce(_ record: PublishedRecord) async {
        begin(topic.partitions.indices.map { ($0, record) }, isBatch: false)
    }

    func settled(within time: Duration) async throws(PublisherError) -> Bool {
        let end = process.loop.now.advanced(by: time)
        while case .pending = batches.first?.outcome, process.loop.now < end, !world.isOver {
            let next = process.loop.now.advanced(by: .milliseconds(2))
            try? await process.loop.sleep(until: min(next, end))
        }
        switch batches.first?.outcome {
        case nil: return true
        case .settled:
            let batch = batches.removeFirst()
            if batch.isBatch { acknowledged.merge(batch.ends) { max($0, $1) } }
            return true
        case .pending: return false
        case .broken: throw .broken
        }
    }

    func renew() async {
        generation += 1
        batches = []
        acknowledged = [:]
        boundTo = nil
    }

    private func begin(_ records: [(Int, PublishedRecord)], isBatch: Bool) {
        let batch = Batch(records, generation, isBatch: isBatch)
        batches.append(batch)
        sendNext()
    }

    /// The next batch goes when the one before has arrived: it may be on its way back still.
    private func sendNext() {
        guard let batch = batches.first(where: { !$0.isSent }) else { return }
        if let before = batches.last(where: \.isSent) {
            if case .broken = before.outcome { return settle(batch, .broken) }
            guard before.hasArrived else { return }
        }
        batch.isSent = true
        send(batch)
    }

    private func send(_ batch: Batch) {
        // As the library's: nothing goes where nobody has asked where it goes.
        guard let era = boundTo else {
            topic.wasSentToUnasked = true
            return world.send { [self] in settle(batch, .broken) }
        }
        if world.faults.strikes(.batchLost) {
            return world.send { [self] in settle(batch, .broken) }
        }
        let isHalved = world.faults.strikes(.batchHalved)
        let isUnheard = world.faults.strikes(.acknowledgementLost)
        // Late: a retry by the library, or a process that stood still with a full socket.
        let isLate = world.faults.strikes(.lateBatch)
        let delay = isLate ? 200_000 + world.dice.draw(15_000_000) : nil
        world.send(afterMicroseconds: delay) { [self] in
            // On its way to brokers that are no more.
            guard !isLate || era == topic.era else { return settle(batch, .broken) }
            arrive(batch, isHalved: isHalved, isUnheard: isUnheard, in: era)
        }
        // The library gives up on it before the network does.
        if isLate { world.send(afterMicroseconds: 150_000) { [self] in settle(batch, .broken) } }
    }

    private func arrive(_ batch: Batch, isHalved: Bool, isUnheard: Bool, in era: Int) {
        guard !world.isOver else { return settle(batch, .broken) }
        guard !topic.isLeaderless, !process.isCutOff(from: .kafka, at: world.nanoseconds) else {
            return world.send(afterMicroseconds: 20_000) { [self] in
                arrive(batch, isHalved: isHalved, isUnheard: isUnheard, in: era)
            }
        }
        // A producer that was closed sends nothing more: what is left of it is bytes on their way
        // to the brokers it had asked, and goes with them.
        let isMine = batch.generation == generation
        guard (isMine ? boundTo : era) == topic.era else { return settle(batch, .broken) }
        let records = batch.records
        for (partition, record) in isHalved ? records.prefix(records.count / 2) : records[...] {
            topic.append(record, to: partition)
            batch.ends[Int32(partition)] = topic.ends.highs[Int32(partition)]
        }
        world.send { [self] in settle(batch, isHalved || isUnheard ? .broken : .settled) }
        guard isMine, !isHalved, case .pending = batch.outcome else { return }
        batch.hasArrived = true
        sendNext()
    }

    private func settle(_ batch: Batch, _ result: Outcome) {
        guard case .pending = batch.outcome else { return }
        batch.outcome = result
        guard case .broken = result, batch.generation == generation else { return }
        for later in batches where !later.isSent { later.outcome = .broken }
    }

    private func ask<Answer: Sendable>(
        _ serve: @escaping () -> Answer
    ) async throws(PublisherError) -> Answer {
        let faults = ConnectionFaults<PublisherError>(
            notConnected: .unavailable,
            lost: .unavailable
        )
        guard !topic.isAway else { throw .unavailable }
        return try await world.ask(from: process, to: .kafka, faults) { answer in answer(serve()) }
    }
}
