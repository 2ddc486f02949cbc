package import Domain
internal import OAuth

/// A stored event as others may see it: CloudEvents 1.0, binary mode (events.md section 10.2).
///
/// What is published is an allow-list per type: seals, digests and what is marked as stored only
/// do not pass, and neither does a member that a newer version added.
package enum PublishedForm {
    /// What the relay knows about a row beside the row itself.
    package struct Place: Hashable, Sendable {
        /// The log's own id: one installation, one history.
        package var log: StreamID
        package var logIndex: Int64
        package var projectName: ProjectID
        /// The hash of the event.
        package var hash: EventHash
        package var relayEpoch: Int64

        package init(
            log: StreamID,
            logIndex: Int64,
            projectName: ProjectID,
            hash: EventHash,
            relayEpoch: Int64
        ) {
            self.log = log
            self.logIndex = logIndex
            self.projectName = projectName
            self.hash = hash
            self.relayEpoch = relayEpoch
        }
    }

    /// The record of an event.
    ///
    /// - Throws: `FormatError`; such a row stops the relay, it is never left out.
    package static func record(
        of event: StoredEvent,
        at place: Place
    ) throws(FormatError) -> PublishedRecord {
        guard let type = StoredType(rawValue: event.type) else { throw .unknownType(event.type) }
        let payload = try object(event.payload)
        let metadata = try EventMetadata(event.metadata)
        let streamText = event.stream.textBytes
        return PublishedRecord(
            key: try key(of: event, type) ?? streamText,
            headers: headers(of: event, type, payload, metadata, at: place, streamText: streamText),
            value: value(of: payload, type)
        )
    }

    static func object(_ payload: [UInt8]) throws(FormatError) -> [JSON.Member] {
        do { return try CanonicalJSON.read(payload).members ?? [] } catch { throw .payload(error) }
    }

    /// Nil for the stream; of a login-id, whose stream is a keyed hash of an address, its subject.
    private static func key(
        of event: StoredEvent,
        _ type: StoredType
    ) throws(FormatError) -> [UInt8]? {
        guard type.kind == .loginID else { return nil }
        guard let subject = event.columns.subject else { throw .missingColumn("subject_id") }
        return subject.stream.textBytes
    }

    private static func value(of payload: [JSON.Member], _ type: StoredType) -> [UInt8] {
        // Both are sorted by name, so one walk finds what is allowed.
        var allowed = (publishedNames[type] ?? [])[...]
        var writer = JSONWriter(reserving: 384)
        writer.object {
            for member in payload {
                while let name = allowed.first,
                    name.utf8.lexicographicallyPrecedes(member.name.utf8)
                {
                    allowed.removeFirst()
                }
                guard let name = allowed.first, name.utf8.elementsEqual(member.name.utf8) else {
                    continue
                }
                $0.member(member.name, member.value)
            }
        }
        return writer.bytes
    }

    private static let publishedNames: [StoredType: [String]] = Dictionary(
        uniqueKeysWithValues: StoredType.allCases.map { type in
            (type, type.members.filter { $0.mark == .published }.map(\.name))
        }
    )
}
