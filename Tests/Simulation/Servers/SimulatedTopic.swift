import EventFormat
import Publishing

// @unchecked: touched by the one thread that runs the simulation.
/// `chancery.events` on a cluster, and `chancery.revocations` beside it: partitions that only grow,
/// until the cluster is replaced or its brokers lose power.
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
    /// Raised where all connections are lost: another cluster, or brokers without power.
    private(set) var era = 1
    /// How long each partition was when the era began, and at its longest on this cluster.
    private(set) var kept: [Int]
    private(set) var longest: [Int]
    /// Until then no broker answers; and partitions have no leader, though brokers answer.
    private(set) var awayUntil: UInt64 = 0
    private var leaderlessUntil: UInt64 = 0
    /// What clusters have that answer no more, by their number; one may come back.
    private var former: [Int: (partitions: [[PublishedRecord]], told: [Told], longest: [Int])] = [:]
    private var clustersMade = 1
    /// Everything that ever arrived, oldest first: what the checks read.
    private(set) var arrivals: [(place: Place, record: PublishedRecord)] = []

    /// Whether a relay published before it had asked where that would go (decision 0039).
    var wasSentToUnasked = false

    /// A record of `chancery.revocations`, which has one partition here.
    enum Told {
        case revocation(RevocationRecord)
        case buried(key: String)
        case watermark
    }

    private(set) var told: [Told] = []
    /// What its compaction leaves, by key.
    private(set) var revocations: [String: RevocationRecord] = [:]

    init(_ world: World, partitions: Int) {
        self.world = world
        self.partitions = Array(repeating: [], count: partitions)
        kept = Array(repeating: 0, count: partitions)
        longest = kept
    }

    var clusterID: String { "cluster-\(cluster)" }
    var isAway: Bool { world.nanoseconds < awayUntil }
    var isLeaderless: Bool { isAway || world.nanoseconds < leaderlessUntil }

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
        longest[partition] = max(longest[partition], partitions[partition].count)
    }

    func tell(_ record: Told) {
        told.append(record)
        switch record {
        case .revocation(let revocation): revocations[revocation.key] = revocation
        case .buried(let key): revocations[key] = nil
        case .watermark: break
        }
    }

    func goAway(milliseconds: Int) {
        awayUntil = world.nanoseconds + UInt64(milliseconds) * 1_000_000
    }

    func comeBack() { (awayUntil, leaderlessUntil) = (0, 0) }

    /// Another cluster under the same address: one without records, or one that was there before.
    func replaceCluster() {
        former[cluster] = (partitions, told, longest)
        let others = former.keys.filter { $0 != cluster }.sorted()
        if !others.isEmpty, world.dice.strikes(400) {
            cluster = others[world.dice.draw(others.count)]
        } else {
            clustersMade += 1
            cluster = clustersMade
        }
        let none = partitions.map { _ in 0 }
        (partitions, told, longest) = former[cluster] ?? (partitions.map { _ in [] }, [], none)
        goAway(milliseconds: 1_000)
        beginEra()
    }

    /// As brokers that lose power together: what was acknowledged last was not on a disk.
    func loseTails() {
        goAway(milliseconds: world.dice.draw(1_000))
        for partition in partitions.indices where world.dice.strikes(600) {
            let lost = world.dice.strikes(300) ? 100 : 15
            let count = partitions[partition].count
            partitions[partition].removeLast(min(world.dice.draw(lost), count))
        }
        if world.dice.strikes(600) { told.removeLast(min(world.dice.draw(10), told.count)) }
        beginEra()
    }

    private func beginEra() {
        era += 1
        leaderlessUntil = awayUntil + UInt64(world.dice.draw(3_000)) * 1_000_000
        kept = partitions.map(\.count)
        let left = told
        (told, revocations) = ([], [:])
        for record in left { tell(record) }
    }

    /// Any function of the key will do, as long as it is the same for equal keys.
    func partition(of key: [UInt8]) -> Int {
        Int(key.reduce(UInt32(5381)) { $0 &* 33 &+ UInt32($1) } % UInt32(partitions.count))
    }
}
