package import Domain

/// The hash that chains the events of a stream (events.md section 6).
///
/// SHA-256 itself is a function of the caller: this target computes nothing cryptographic.
package enum HashChain {
    private static let label = Array("chancery-event-1".utf8) + [0]

    /// What is hashed, integers big-endian; a nil id is 16 zero bytes.
    ///
    /// `previous` is the hash of the version before; nil, i.e. 32 zero bytes, for version 1.
    package static func preimage(of event: StoredEvent, after previous: EventHash?) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(192 + event.payload.count + event.metadata.count)
        bytes.append(contentsOf: label)
        if let previous {
            bytes.append(contentsOf: previous.digest.bytes)
        } else {
            bytes.append(contentsOf: repeatElement(0, count: 32))
        }
        append(event.stream, to: &bytes)
        append(UInt32(bitPattern: event.version), to: &bytes)
        append(UInt16(bitPattern: event.type), to: &bytes)
        append(UInt16(bitPattern: event.project.value), to: &bytes)
        append(UInt64(bitPattern: event.columns.occurredAt.microseconds), to: &bytes)
        append(event.command.stream, to: &bytes)
        append(event.actor, to: &bytes)
        append(event.columns.subject?.stream, to: &bytes)
        append(event.columns.client, to: &bytes)
        append(event.columns.session?.stream, to: &bytes)
        append(UInt32(truncatingIfNeeded: event.payload.count), to: &bytes)
        bytes.append(contentsOf: event.payload)
        append(UInt32(truncatingIfNeeded: event.metadata.count), to: &bytes)
        bytes.append(contentsOf: event.metadata)
        return bytes
    }

    /// The hash of an event, by the SHA-256 that is given.
    package static func hash(
        of event: StoredEvent,
        after previous: EventHash?,
        sha256: ([UInt8]) -> TokenDigest
    ) -> EventHash {
        EventHash(digest: sha256(preimage(of: event, after: previous)))
    }

    private static func append(_ id: StreamID?, to bytes: inout [UInt8]) {
        append(id?.high ?? 0, to: &bytes)
        append(id?.low ?? 0, to: &bytes)
    }

    private static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
