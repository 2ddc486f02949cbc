/// Sees a partition of which nothing comes any more: so Kafka can be asked whether it has more.
///
/// The relay writes a watermark to every partition each second: one that stands still is stuck, out
/// of reach, or the relay is away. What Kafka says it has may have come only now, so it gets a
/// while to arrive.
struct ReadingWatch: Hashable, Sendable {
    /// Who did not read for longer than this has not looked, in ns.
    static let gapMaxNanoseconds = KafkaPatience.silenceMaxNanoseconds
    /// How long what Kafka says it has may take to come, in ns.
    static let arrivalMaxNanoseconds: UInt64 = 5_000_000_000

    /// Where each partition stood when all had moved.
    private var offsets: [Int32: Int64] = [:]
    private var since: UInt64
    private var lookedAt: UInt64
    /// What Kafka said it had, when a partition stood still before that.
    private var claimed: TopicEnds?
    private var claimedAt: UInt64 = 0
    /// Whether all partitions have moved since it began.
    private(set) var hasMoved = false

    /// Begins at `now`.
    init(at now: UInt64) {
        since = now
        lookedAt = now
    }

    /// Whether Kafka is to be asked: a partition whose next offset is in `next` has stood still for
    /// 20 s, or for as long again since it was asked.
    mutating func doubts(_ next: [Int32: Int64], at now: UInt64) -> Bool {
        let hasLooked = now <= lookedAt || now - lookedAt <= Self.gapMaxNanoseconds
        let hasAllMoved = next.allSatisfy { $0.value > offsets[$0.key, default: -1] }
        if hasAllMoved, !offsets.isEmpty { hasMoved = true }
        guard hasLooked, !hasAllMoved else {
            restart(next, at: now)
            return false
        }
        lookedAt = now
        let begin = claimed == nil ? since : claimedAt
        return now >= begin && now - begin >= KafkaPatience.silenceMaxNanoseconds
    }

    /// Takes what Kafka says it has; where that is no more, it is the relay that is silent.
    mutating func hear(_ ends: TopicEnds, _ next: [Int32: Int64], at now: UInt64) {
        guard standsStill(next, before: ends) else { return restart(next, at: now) }
        claimed = ends
        claimedAt = now
        lookedAt = now
    }

    /// Whether what Kafka said it had does not come, and some partition has stood still for
    /// `patience`, in ns.
    mutating func isStuck(
        _ next: [Int32: Int64],
        at now: UInt64,
        after patience: UInt64 = KafkaPatience.silenceMaxNanoseconds
    ) -> Bool {
        guard let claimed, now >= claimedAt, now - claimedAt >= Self.arrivalMaxNanoseconds else {
            return false
        }
        guard standsStill(next, before: claimed) else {
            restart(next, at: now)
            return false
        }
        return now >= since && now - since >= patience
    }

    /// Nothing stands still from here on.
    mutating func restart(_ next: [Int32: Int64], at now: UInt64) {
        offsets = next
        since = now
        lookedAt = now
        claimed = nil
    }

    /// Whether a partition that stands still has more, by these ends.
    private func standsStill(_ next: [Int32: Int64], before ends: TopicEnds) -> Bool {
        next.contains { partition, offset in
            let stoodAt = offsets[partition, default: -1]
            return offset <= stoodAt && ends.highs[partition, default: 0] > offset
        }
    }
}
