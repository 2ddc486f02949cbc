/// One thing a reader came upon.
package enum Reading: Hashable, Sendable {
    /// A record.
    case record(ReceivedRecord)
    /// Nothing more in the partition for now; its next record will have this offset.
    case end(partition: Int32, nextOffset: Int64)
}
