/// How long one that leads waits for Kafka before it leaves the lead to another (decision 0197).
///
/// PostgreSQL gives the lead and hears nothing of Kafka: whoever keeps the one and cannot reach the
/// other would lead for ever, beside one that can.
package struct KafkaPatience: Hashable, Sendable {
    /// How long Kafka may do nothing of what it owes, in ns.
    ///
    /// Longer than brokers take to notice that one of them is gone and to elect others (9 s, or 18
    /// with ZooKeeper), shorter than the 30 s after which readiness tells of it.
    package static let silenceMaxNanoseconds: UInt64 = 20_000_000_000
    /// For how long it does not ask for the lead afterwards, in ns: others ask each second.
    package static let restNanoseconds: UInt64 = 5_000_000_000

    private var servedAt: UInt64
    private var lookedAt: UInt64
    private var hasLost = false

    /// Begins with the lead, at `now` on the monotonic clock in nanoseconds.
    package init(at now: UInt64) {
        servedAt = now
        lookedAt = now
    }

    /// Somebody looks whether it is over; who stood still meanwhile has not noticed what came.
    package mutating func look(at now: UInt64) {
        if now >= lookedAt, now - lookedAt >= Self.silenceMaxNanoseconds { servedAt = now }
        lookedAt = now
    }

    /// Kafka has confirmed something.
    package mutating func delivered(at now: UInt64) { self = Self(at: now) }

    /// What was on its way may not have arrived: until something does, an answer proves nothing.
    package mutating func lost() { hasLost = true }

    /// Nothing is on its way, and every question was answered.
    package mutating func answered(at now: UInt64) { if !hasLost { servedAt = now } }

    /// Whether it has done nothing for longer than `limit`, in ns.
    package func isOver(
        at now: UInt64,
        after limit: UInt64 = KafkaPatience.silenceMaxNanoseconds
    ) -> Bool {
        now >= servedAt && now - servedAt >= limit
    }

    /// How long to wait after handing over has helped nobody so often, as it costs others work:
    /// each time twice as long, eleven minutes at most.
    package static func nanoseconds(afterHandOvers count: UInt64) -> UInt64 {
        silenceMaxNanoseconds << min(count, 5)
    }
}
