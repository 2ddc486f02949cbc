/// A record to publish.
package struct Record: Hashable, Sendable {
    /// Decides the partition, unless one is named; records of one key keep their order.
    package var key: [UInt8]?
    /// The value; nil is a tombstone on a compacted topic.
    package var value: [UInt8]?
    /// The headers, in order.
    package var headers: Headers
    /// A partition to write to regardless of the key.
    package var partition: Int32?

    /// Makes a record.
    package init(
        key: [UInt8]?,
        value: [UInt8]?,
        headers: Headers = Headers(),
        partition: Int32? = nil
    ) {
        self.key = key
        self.value = value
        self.headers = headers
        self.partition = partition
    }
}
