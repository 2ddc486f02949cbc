package import EventFormat

/// A record of `chancery.events` and where it stood.
package struct EventSourceRecord: Hashable, Sendable {
    package var partition: Int32
    package var offset: Int64
    package var record: PublishedRecord

    /// Describes a record.
    package init(partition: Int32, offset: Int64, record: PublishedRecord) {
        self.partition = partition
        self.offset = offset
        self.record = record
    }
}
