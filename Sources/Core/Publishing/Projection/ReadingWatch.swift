/// Sees a partition of which nothing comes any more: so Kafka can be asked whether it has more.
///
/// The relay writes a watermark to every partition each second: one that stands still is stuck, out
/// of reach, or the relay is away.
struct ReadingWatch: Hashable, Sendable {
    /// Who did not read for longer than this has not looked, in ns.
    static let gapMaxNanoseconds: UInt64 = 10_000_000_000

    /// Where each partition stood when all had moved.
    private var offsets: [Int32: Int64] = [:]
    private var since: UInt64
    private var lookedAt: UInt64

    /// Begins at `now`.
    init(at now: UInt64) {
        since = now
        lookedAt = now
    }

    /// Whether Kafka is to be asked: a partition whose next offset is in `next` stands still.
    mutating func doubts(_ next: [Int32: Int64], at now: UInt64) -> Bool {
        let hasLooked = now <= lookedAt || now - lookedAt <= Self.gapMaxNanoseconds
        let hasAllMoved = next.allSatisfy { $0.value > offsets[$0.key, default: -1] }
        guard hasLooked, !hasAllMoved else {
            restart(next, at: now)
            return false
        }
        lookedAt = now
        return now >= since && now - since >= KafkaPatience.silenceMaxNanoseconds
    }

    /// Whether a partition that stands still has more, by these ends.
    func standsStill(_ next: [Int32: Int64], before ends: TopicEnds) -> Bool {
        next.contains { partition, offset in
            let stoodAt = offsets[partition, default: -1]
            return offset <= stoodAt && ends.highs[partition, default: 0] > offset
        }
    }

    /// Nothing stands still from here on.
    mutating func restart(_ next: [Int32: Int64], at now: UInt64) {
        offsets = next
        since = now
        lookedAt = now
    }
}
