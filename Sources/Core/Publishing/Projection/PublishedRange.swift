package import Domain

/// A run of the published order as PostgreSQL has it.
package struct PublishedRange: Hashable, Sendable {
    /// Numbers looked at in one go, when there are as many (projection_published.sql).
    package static let lengthMax: Int64 = 2000

    /// Events of sessions, by number; those of dropped partitions are left out.
    package var events: [RecordedEvent]
    /// Streams with an event that this program cannot read, and the first number of each.
    package var unreadable: [BlockedKey]
    /// The last number looked at.
    package var last: Int64

    /// Describes a run.
    package init(events: [RecordedEvent], unreadable: [BlockedKey], last: Int64) {
        self.events = events
        self.unreadable = unreadable
        self.last = last
    }
}
