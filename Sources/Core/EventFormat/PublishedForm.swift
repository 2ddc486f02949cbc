package import Domain
internal import OAuth

/// A stored event as others may see it: CloudEvents 1.0, binary mode (Events 10.2).
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
        guard let form = forms[event.type] else { throw .unknownType(event.type) }
        let payload: CanonicalObject
        do { payload = try CanonicalObject(event.payload) } catch { throw .payload(error) }
        let metadata = try EventMetadata(event.metadata)
        return PublishedRecord(
            key: try key(of: event, form).textBytes,
            headers: headers(of: event, form, payload, metadata, at: place),
            value: value(of: payload, form.names)
        )
    }

    /// The stream; of a login-id, whose stream is a keyed hash of an address, its subject.
    private static func key(
        of event: StoredEvent,
        _ form: TypeForm
    ) throws(FormatError) -> StreamID {
        guard !form.namesStream else { return event.stream }
        guard let subject = event.columns.subject else { throw .missingColumn("subject_id") }
        return subject.stream
    }

    /// Members that are allowed, as they stand: what is stored is canonical already.
    private static func value(of payload: CanonicalObject, _ allowed: [[UInt8]]) -> [UInt8] {
        var value: [UInt8] = []
        value.reserveCapacity(min(payload.bytes.count, 384))
        value.append(UInt8(ascii: "{"))
        // Both are sorted by name, so one walk finds what is allowed.
        var next = 0
        for member in payload.members {
            var difference = -1
            while next < allowed.count {
                difference = compare(allowed[next], with: member.name, of: payload.bytes)
                if difference >= 0 { break }
                next += 1
            }
            guard difference == 0 else { continue }
            if value.count > 1 { value.append(UInt8(ascii: ",")) }
            // With the quote before its name.
            value += payload.bytes[member.name.lowerBound - 1..<member.value.upperBound]
        }
        value.append(UInt8(ascii: "}"))
        return value
    }

    /// Negative when `name` sorts before the one that stands at `place`, 0 when it is the same.
    private static func compare(
        _ name: [UInt8],
        with place: Range<Int>,
        of bytes: [UInt8]
    ) -> Int {
        let (left, right) = (name.span, bytes.span)
        for index in 0..<min(left.count, place.count) {
            let difference = Int(left[index]) - Int(right[place.lowerBound + index])
            if difference != 0 { return difference }
        }
        return left.count - place.count
    }

    /// What the records of one type have in common.
    struct TypeForm: Sendable {
        /// Whether records tell their stream: that of a login-id is a keyed hash of an address.
        let namesStream: Bool
        /// The value of `ce_type`.
        let typeText: [UInt8]
        /// The members that are published, sorted.
        let names: [[UInt8]]

        init(_ type: StoredType) {
            namesStream = type.kind != .loginID
            typeText = Array("\(typePrefix)\(type.name)".utf8)
            names = type.members.filter { $0.mark == .published }.map { Array($0.name.utf8) }
        }
    }

    private static let forms: [Int16: TypeForm] = Dictionary(
        uniqueKeysWithValues: StoredType.allCases.map { ($0.rawValue, TypeForm($0)) }
    )
}
