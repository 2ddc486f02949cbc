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
    /// Whether it is publishing the whole log again, to a cluster that does not have it.
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
    /// Up to here every event is published.
    package var completeThrough: Instant?

    /// A relay that has not done anything.
    package init() {}
}
