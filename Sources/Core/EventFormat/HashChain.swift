package import Domain

/// The hash that chains the events of a stream (Events 6).
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
            previous.digest.append(to: &bytes)
        } else {
            bytes.append(contentsOf: repeatElement(0, count: 32))
        }
        bytes.append(addingCapacity: columnsCount) { columns(of: event, into: &$0) }
        bytes.append(contentsOf: event.payload)
        bytes.append(addingCapacity: 4) { room in
            room.append(bigEndian: UInt32(truncatingIfNeeded: event.metadata.count))
        }
        bytes.append(contentsOf: event.metadata)
        return bytes
    }

    /// Six ids, and 20 bytes of numbers.
    private static let columnsCount = 6 * 16 + 20

    private static func columns(of event: StoredEvent, into room: inout OutputSpan<UInt8>) {
        append(event.stream, to: &room)
        room.append(bigEndian: UInt32(bitPattern: event.version))
        room.append(bigEndian: UInt16(bitPattern: event.type))
        room.append(bigEndian: UInt16(bitPattern: event.project.value))
        room.append(bigEndian: UInt64(bitPattern: event.columns.occurredAt.microseconds))
        append(event.command.stream, to: &room)
        append(event.actor, to: &room)
        append(event.columns.subject?.stream, to: &room)
        append(event.columns.client, to: &room)
        append(event.columns.session?.stream, to: &room)
        room.append(bigEndian: UInt32(truncatingIfNeeded: event.payload.count))
    }

    /// The hash of an event, by the SHA-256 that is given.
    package static func hash(
        of event: StoredEvent,
        after previous: EventHash?,
        sha256: ([UInt8]) -> TokenDigest
    ) -> EventHash {
        EventHash(digest: sha256(preimage(of: event, after: previous)))
    }

    private static func append(_ id: StreamID?, to room: inout OutputSpan<UInt8>) {
        room.append(bigEndian: id?.high ?? 0)
        room.append(bigEndian: id?.low ?? 0)
    }
}
