package import Domain

/// What a projector is doing, for metrics and readiness.
package struct ProjectorStatus: Hashable, Sendable {
    /// Its part.
    package enum Role: Hashable, Sendable {
        /// Another one is active.
        case standby
        /// Nobody may be: PostgreSQL or Kafka does not answer this one.
        case waiting
        /// Applying.
        case active
        /// An operator has to act; it looks again every ten seconds.
        case halted(String)
    }

    /// Why it left the lead to another.
    package enum HandOver: String, Hashable, Sendable {
        case noAnswer = "Kafka does not answer"
        case standsStill = "a partition has records that do not come"
        case sinkTakesNothing = "the topic of revocations takes nothing"
    }

    /// Its part.
    package var role = Role.standby
    /// Whether it reads what it has missed from PostgreSQL.
    package var isCatchingUp = false
    /// Whether `chancery.revocations` did not take something; the feed goes on.
    package var isSinkAway = false
    /// See `ProjectionProgress.frontier`.
    package var frontier: Int64 = -1
    /// See `ProjectionProgress.late`.
    package var late: Int64 = 0
    /// Up to here the model is complete.
    package var completeThrough: Instant?
    /// Keys that are stopped, by the number they hold back.
    package var blocked: [BlockedKey] = []
    /// Counts of this process: events applied; events that came again; gaps filled from PostgreSQL;
    /// records that could not be read while PostgreSQL could; keys stopped; how often the topic of
    /// events, and that of revocations, lacked records; how often what has expired could not be
    /// dropped.
    package var eventCount: Int64 = 0
    package var duplicateCount: Int64 = 0
    package var gapCount: Int64 = 0
    package var repairCount: Int64 = 0
    package var blockCount: Int64 = 0
    package var lossCount: Int64 = 0
    package var sinkLossCount: Int64 = 0
    package var upkeepFailureCount: Int64 = 0
    /// How often it left the lead to another because Kafka did nothing for it, and why the last
    /// time.
    package var handOverCount: Int64 = 0
    package var handOver: HandOver?
    /// Revocations that are on `chancery.revocations`.
    package var publishedCount: Int64 = 0

    /// A projector that has not done anything.
    package init() {}

    /// How many keys are stopped; of one that does not lead nothing is known any more.
    package var blockedCount: Int { role == .active ? blocked.count : 0 }

    /// What is wrong at `now`, for readiness; standing by is right while another one keeps the
    /// model fresh.
    package func problem(at now: Instant) -> String? {
        switch role {
        case .halted(let reason): return reason
        case .waiting: return "PostgreSQL or Kafka does not answer"
        case .standby: return age(at: now)
        case .active where isCatchingUp: return "reading from PostgreSQL what it has missed"
        case .active:
            if let first = blocked.first {
                return "\(blocked.count) keys are stopped; \(first.name) from number "
                    + "\(first.index) on: \(first.reason)"
            }
            return isSinkAway ? "the topic of revocations takes nothing" : age(at: now)
        }
    }

    private func age(at now: Instant) -> String? {
        guard let completeThrough else { return "not complete yet" }
        if completeThrough > now.adding(milliseconds: ClockSkew.millisecondsMax) {
            return "complete up to a time that has not come: look at the clocks"
        }
        let lag = now.millisecondsSince(completeThrough) / 1000
        return lag > Self.lagSecondsMax ? "\(lag) s behind" : nil
    }

    /// A read model staler than this makes the process unready.
    private static let lagSecondsMax: Int64 = 30
}
