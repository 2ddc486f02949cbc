package import Domain

/// A key of `chancery.events` whose events are not applied any more: one of them cannot be.
///
/// Nothing of it is lost: the stream is in PostgreSQL, and is read from there when it can be again.
package struct BlockedKey: Hashable, Sendable {
    /// The record's key, as found.
    package var key: [UInt8]
    /// Where the record stands.
    package var partition: Int32
    package var offset: Int64
    /// The number from which on the read model is not complete: the event's own, or the next of
    /// its partition where the record does not say.
    package var index: Int64
    /// The stream, where the record or its key names one.
    package var stream: StreamID?
    /// What is wrong, for operators; nothing of the record's content.
    package var reason: String

    /// Describes a key that is blocked.
    package init(
        key: [UInt8],
        partition: Int32,
        offset: Int64,
        index: Int64,
        stream: StreamID?,
        reason: String
    ) {
        self.key = key
        self.partition = partition
        self.offset = offset
        self.index = index
        self.stream = stream
        self.reason = reason
    }

    /// The key as text, for operators; a key that is none of ours as a count of bytes.
    package var name: String {
        let isPlain = 1...64 ~= key.count && key.allSatisfy { 0x21...0x7E ~= $0 }
        return isPlain ? String(decoding: key, as: UTF8.self) : "a key of \(key.count) bytes"
    }
}
