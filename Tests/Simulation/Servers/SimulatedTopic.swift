import EventFormat
import Publishing

// @unchecked: touched by the one thread that runs the simulation.
/// `chancery.events` on a cluster: partitions that only grow, until the cluster is replaced.
final class SimulatedTopic: @unchecked Sendable {
    /// A record at its place.
    struct Place: Hashable {
        var cluster: Int
        var partition: Int32
        var offset: Int64
    }

    let world: World
    private(set) var partitions: [[PublishedRecord]]
    private(set) var cluster = 1
    /// Until then no broker answers.
    private(set) var awayUntil: UInt64 = 0
    /// Everything that ever arrived, oldest first: what the checks read.
    private(set) var arrivals: [(place: Place, record: PublishedRecord)] = []

    /// Whether a relay published before it had asked where that would go (decision 0039).
    var wasSentToUnasked = false

    /// `chancery.revocations` of this cluster, by key.
    var revocations: [String: RevocationRecord] = [:]

    init(_ world: World, partitions: Int) {
        self.world = world
        self.partitions = Array(repeating: [], count: partitions)
    }

    var clusterID: String { "cluster-\(cluster)" }
    var isAway: Bool { world.nanoseconds < awayUntil }

    var ends: TopicEnds {
        let highs = partitions.enumerated().map { (Int32($0), Int64($1.count)) }
        return TopicEnds(
            lows: Dictionary(uniqueKeysWithValues: highs.map { ($0.0, 0) }),
            highs: Dictionary(uniqueKeysWithValues: highs)
        )
    }

    func tail(_ count: Int, before ends: TopicEnds) -> [LogRecord] {
        partitions.enumerated().flatMap { number, records in
            records.prefix(Int(ends.highs[Int32(number)] ?? 0)).suffix(count).map { LogRecord($0) }
        }
    }

    func append(_ record: PublishedRecord, to partition: Int) {
        let offset = Int64(partitions[partition].count)
        partitions[partition].append(record)
        let place = Place(cluster: cluster, partition: Int32(partition), offset: offset)
        arrivals.append((place, record))
    }

    func goAway(milliseconds: Int) {
        awayUntil = world.nanoseconds + UInt64(milliseconds) * 1_000_000
    }

    func comeBack() { awayUntil = 0 }

    /// Another cluster under the same address, without records.
    func replaceCluster() {
        cluster += 1
        goAway(milliseconds: 1_000)
        partitions = partitions.map { _ in [] }
        revocations = [:]
    }

    /// Any function of the key will do, as long as it is the same for equal keys.
    func partition(of key: [UInt8]) -> Int {
        Int(key.reduce(UInt32(5381)) { $0 &* 33 &+ UInt32($1) } % UInt32(partitions.count))
    }
}
