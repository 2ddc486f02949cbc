import Domain
import EventFormat
import Publishing

// @unchecked: touched by the one thread that runs the simulation.
/// What Kafka's readers are promised (Events 9.7 and 10.4): invariant I10.
final class TopicChecks: @unchecked Sendable {
    private let topic: SimulatedTopic
    private let database: SimulatedDatabase
    private var seen = 0
    private var places: [Int64: PublishedPlace] = [:]
    private var known: Set<EventHash> = []
    private var knownRows = 0
    /// First occurrences in this era: the last number of each partition, the last version of
    /// each stream.
    private var era = 1
    private var occurred: Set<Int64> = []
    private var lastIndex: [Int32: Int64] = [:]
    private var lastVersion: [StreamID: Int32] = [:]
    /// The promise that no event up to then will come any more; and the number it was made with.
    private var complete: (through: Instant, index: Int64)?

    init(_ topic: SimulatedTopic, _ database: SimulatedDatabase) {
        self.topic = topic
        self.database = database
    }

    /// Numbers published so far, on any cluster.
    var count: Int { places.count }

    /// Numbers on the cluster there is now.
    var countHere: Int { occurred.count }

    func look(_ broken: (String, String) -> Void) {
        if topic.wasSentToUnasked {
            broken("I10", "a relay publishes to a cluster that it has not asked for its id")
        }
        if topic.era != era { begin(topic.era, broken) }
        while knownRows < database.rows.count {
            let row = database.rows[knownRows]
            knownRows += 1
            known.insert(row.hash)
            if let complete, row.event.columns.occurredAt <= complete.through {
                broken("I10", "an event was committed behind a watermark")
            }
        }
        while seen < topic.arrivals.count {
            let (place, record) = topic.arrivals[seen]
            seen += 1
            guard place.cluster == topic.cluster else { continue }
            switch LogRecord(record) {
            case .event(let event): check(event, in: place.partition, broken)
            case .watermark(let watermark): check(watermark, broken)
            case .foreign: broken("I10", "a record of nobody")
            }
        }
    }

    /// Who begins to read in a new era finds what is left: of a cluster that is new, nothing.
    private func begin(_ era: Int, _ broken: (String, String) -> Void) {
        self.era = era
        occurred = []
        lastIndex = [:]
        lastVersion = [:]
        for (partition, records) in topic.partitions.enumerated() {
            for record in records.prefix(topic.kept[partition]) {
                guard case .event(let event) = LogRecord(record) else { continue }
                check(event, in: Int32(partition), broken)
            }
        }
    }

    private func check(
        _ event: PublishedPlace,
        in partition: Int32,
        _ broken: (String, String) -> Void
    ) {
        if !known.contains(event.hash) { broken("I10", "an event that is not committed") }
        if let first = places[event.index] {
            if first != event { broken("I10", "number \(event.index) means two events") }
        } else {
            places[event.index] = event
        }
        guard occurred.insert(event.index).inserted else { return }
        if event.index < lastIndex[partition, default: -1] {
            broken("I10", "number \(event.index) came too late in its partition")
        }
        lastIndex[partition] = event.index
        guard let stream = event.stream, let version = event.version else { return }
        if version != lastVersion[stream, default: 0] + 1 {
            broken("I10", "version \(version) came out of turn as number \(event.index)")
        }
        lastVersion[stream] = version
    }

    private func check(_ watermark: LogWatermark, _ broken: (String, String) -> Void) {
        if let complete, complete.through >= watermark.completeThrough { return }
        complete = (watermark.completeThrough, watermark.index)
        if let lost = database.relay.ledger.first(where: {
            $0.index <= watermark.index && !occurred.contains($0.index)
        }) {
            broken("I10", "a watermark passes number \(lost.index), which Kafka lacks")
        }
        let numbers = Set(
            database.relay.ledger.filter { $0.index <= watermark.index }.map(\.row.place)
        )
        for row in database.rows where row.event.columns.occurredAt <= watermark.completeThrough {
            if !numbers.contains(row.place) {
                return broken("I10", "a watermark passes an event that is not published")
            }
        }
    }
}
