package import Domain

/// What a relay is doing, for metrics and readiness.
package struct RelayStatus: Hashable, Sendable {
    /// Its part.
    package enum Role: Hashable, Sendable {
        /// Another one is active.
        case standby
        /// Publishing.
        case active
        /// An operator has to act; it looks again every ten seconds.
        case halted(RelayHalt)
    }

    /// Its part.
    package var role = Role.standby
    /// Whether it is publishing the whole log again, to a topic that does not have it.
    package var isReplaying = false
    /// The number the next event gets.
    package var nextIndex: Int64 = 0
    /// Events published by this process.
    package var publishedCount: Int64 = 0
    /// Age of the oldest row being published, in ms; where not even that is known, because Kafka or
    /// the log did not answer, for how long; 0 when everything is published.
    package var lagMilliseconds: Int64 = 0
    /// Age of the newest instant up to which everything is published, in ms; held up by the oldest
    /// write transaction of the database.
    package var fenceAgeMilliseconds: Int64 = 0
    /// How far the database's clock is from ours, in ms; while it is over
    /// `ClockSkew.millisecondsMax`, no watermark moves.
    package var skewMilliseconds: Int64 = 0
    /// Terms of this process that the log ended.
    package var failedTermCount: Int64 = 0
    /// Whether Kafka did nothing for it, so that it left the lead to another, and has not answered
    /// it since.
    package var isWithoutKafka = false
    /// How often it left the lead to another so.
    package var handOverCount: Int64 = 0
    /// How often it found that Kafka has lost records that it had acknowledged.
    package var lossCount: Int64 = 0
    /// Up to here every event is published.
    package var completeThrough: Instant?

    /// A relay that has not done anything.
    package init() {}

    /// What is wrong, for readiness; standing by is right.
    package var problem: String? {
        switch role {
        case .halted(let halt): "\(halt): \(halt.next)"
        case .active where isReplaying: "publishing the log again"
        case .active where ClockSkew.isWrong(skewMilliseconds),
            .standby where ClockSkew.isWrong(skewMilliseconds):
            "the database's clock differs from ours by \(skewMilliseconds) ms"
        case .standby where isWithoutKafka:
            "Kafka does not answer this relay, which has left the lead to another"
        // Standing by, too: between terms that fail.
        case .active, .standby:
            if lagMilliseconds > Self.ageMillisecondsMax {
                "nothing could be published, or an event waits, for \(lagMilliseconds / 1000) s"
            } else if role == .active, fenceAgeMilliseconds > Self.ageMillisecondsMax {
                "nothing newer than \(fenceAgeMilliseconds / 1000) s is known to be published: "
                    + "look for a write transaction that stays open"
            } else {
                nil
            }
        }
    }

    private static let ageMillisecondsMax: Int64 = 30_000
}
