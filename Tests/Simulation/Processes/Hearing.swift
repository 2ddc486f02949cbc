import Domain
import EventFormat
import Publishing
import Runtime

// @unchecked: touched by the one thread that runs the simulation.
/// What a node hears of `chancery.events`, wired as in `token-issuer`: a reason to look, and never
/// more (I12).
///
/// In four seeds of ten; the nodes of the others look by themselves alone.
final class Hearing: @unchecked Sendable {
    private let topic: SimulatedTopic
    private let process: SimulatedProcess
    private let hear: (StreamID, Int32?) -> Void
    // Apart, so that what else is drawn stays what it was.
    private var dice: Dice
    private var world: World { topic.world }

    /// Nil in a seed whose nodes hear nothing; else `hear` is told of every stream, late, often or
    /// never, and of some that have not moved.
    init?(
        _ topic: SimulatedTopic,
        _ process: SimulatedProcess,
        hear: @escaping (StreamID, Int32?) -> Void
    ) {
        var all = Dice(seed: topic.world.seed, purpose: 11)
        guard all.strikes(400) else { return nil }
        self.topic = topic
        self.process = process
        self.hear = hear
        let number = process.name.utf8.reduce(UInt64(11)) { $0 &* 31 &+ UInt64($1) }
        dice = Dice(seed: topic.world.seed ^ number, purpose: 11)
    }

    /// Reads on from the topic's end, a few records of a partition at a time.
    func run() async {
        var (cluster, offsets) = (topic.cluster, topic.ends.highs)
        while !world.isOver {
            await world.sleep(milliseconds: 1 + dice.draw(80), on: process)
            guard !topic.isAway, !process.isCutOff(from: .kafka, at: world.nanoseconds) else {
                continue
            }
            // What was missed on the way to another cluster is not read.
            if topic.cluster != cluster { (cluster, offsets) = (topic.cluster, topic.ends.highs) }
            for (partition, records) in topic.partitions.enumerated() {
                let start = min(Int(offsets[Int32(partition), default: 0]), records.count)
                let end = min(records.count, start + dice.draw(12))
                for record in records[start..<end] { tell(record) }
                offsets[Int32(partition)] = Int64(end)
            }
            if world.faults.strikes(.forgedHint) { forge() }
        }
    }

    private func tell(_ record: PublishedRecord) {
        guard case .event(let place) = LogRecord(record), let stream = place.stream else { return }
        hear(stream, place.version)
    }

    /// A stranger's record, or an old one: of a stream there is, at a version it may not have.
    private func forge() {
        let arrivals = topic.arrivals
        guard !arrivals.isEmpty,
            case .event(let place) = LogRecord(arrivals[dice.draw(arrivals.count)].record),
            let stream = place.stream, let version = place.version
        else { return }
        let claims = [nil, 0, 1, version, version &+ Int32(dice.draw(100)), .max]
        hear(stream, claims[dice.draw(claims.count)])
    }
}
