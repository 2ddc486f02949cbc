package import Domain
package import EventFormat

/// A row of the log as the relay reads it.
package struct LogRow: Hashable, Sendable {
    /// Rows that are read at once, and published together: also the LIMIT of relay_read.sql,
    /// relay_read_old_epoch.sql and relay_published.sql.
    package static let batchMax = 1000

    /// Where it stands.
    package var place: LogPosition
    /// The event as stored.
    package var event: StoredEvent
    /// Its hash, chained over its stream.
    package var hash: EventHash

    /// Puts a row together.
    package init(place: LogPosition, event: StoredEvent, hash: EventHash) {
        self.place = place
        self.event = event
        self.hash = hash
    }
}
