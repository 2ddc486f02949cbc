/// Why a relay publishes nothing until somebody acts.
package enum RelayHalt: Hashable, Sendable {
    /// PostgreSQL lost what Kafka has shown others (events.md section 12); the first lost number.
    case lostHistory(index: Int64)
    /// An event cannot be published: written by a newer version, or damaged.
    case unpublishable(LogPosition, reason: String)
    /// A row cannot be read.
    case unreadable(String)
    /// Kafka refuses: rights, a missing topic.
    case refused(String)
}
