internal import CKafka

/// A record as it was read.
package struct ReceivedRecord: Hashable, Sendable {
    /// The partition it stood in.
    package var partition: Int32
    /// Its place there.
    package var offset: Int64
    /// The key, if it has one.
    package var key: [UInt8]?
    /// The value; nil is a tombstone.
    package var value: [UInt8]?
    /// The headers, in order.
    package var headers: Record.Headers
    /// When its producer was given it, in ms since 1970 by that machine's clock; nil where the
    /// topic does not keep it.
    package var createdMilliseconds: Int64?

    /// Makes a record, as tests and the in-memory twin do.
    package init(
        partition: Int32,
        offset: Int64,
        key: [UInt8]?,
        value: [UInt8]?,
        headers: Record.Headers = Record.Headers(),
        createdMilliseconds: Int64? = nil
    ) {
        self.partition = partition
        self.offset = offset
        self.key = key
        self.value = value
        self.headers = headers
        self.createdMilliseconds = createdMilliseconds
    }

    /// The last header of that name, as CloudEvents readers take it.
    package func header(_ name: String) -> [UInt8]? {
        headers.last(named: name)
    }

    @safe init(copying message: UnsafePointer<rd_kafka_message_t>) {
        unsafe partition = message.pointee.partition
        unsafe offset = message.pointee.offset
        unsafe key = Self.bytes(message.pointee.key, message.pointee.key_len)
        unsafe value = Self.bytes(message.pointee.payload, message.pointee.len)
        headers = Record.Headers(copying: message)
        var kind = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE
        let created = unsafe rd_kafka_message_timestamp(message, &kind)
        createdMilliseconds = kind == RD_KAFKA_TIMESTAMP_CREATE_TIME ? created : nil
    }

    @safe private static func bytes(_ start: UnsafeRawPointer?, _ count: Int) -> [UInt8]? {
        guard let start = unsafe start else { return nil }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }
}
