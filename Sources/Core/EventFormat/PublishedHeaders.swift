internal import Domain
internal import OAuth

extension PublishedForm {
    /// The headers, in the order of the table in events.md section 10.2.
    static func headers(
        of event: StoredEvent,
        _ type: StoredType,
        _ payload: [JSON.Member],
        _ metadata: EventMetadata,
        at place: Place
    ) -> [PublishedRecord.Header] {
        var headers = Headers()
        headers.add("content-type", "application/json")
        headers.add("ce_specversion", "1.0")
        headers.add("ce_id", "\(place.logIndex)")
        headers.add("ce_source", "\(sourcePrefix)\(place.log)")
        headers.add("ce_type", "\(typePrefix)\(type.name)")
        headers.add("ce_time", bytes: RFC3339.text(event.columns.occurredAt))
        headers.add("ce_subject", event.columns.subject?.stream)
        headers.add("ce_sequence", bytes: sequence(place.logIndex))
        if type.kind != .loginID {
            headers.add("ce_stream", event.stream)
            headers.add("ce_streamversion", "\(event.version)")
        }
        headers.add("ce_project", place.projectName.text)
        headers.add("ce_client", client(in: payload))
        headers.add("ce_session", event.columns.session?.stream)
        headers.add("ce_actor", actor(of: event, metadata))
        headers.add("ce_eventhash", bytes: Hexadecimal.encode(place.hash.digest.bytes))
        headers.add("ce_correlation", metadata.correlation)
        headers.add("ce_causation", metadata.cause.map { "\($0.stream):\($0.version)" })
        headers.add("ce_traceparent", metadata.traceparent)
        headers.add("ce_relayepoch", "\(place.relayEpoch)")
        return headers.all
    }

    private static func client(in payload: [JSON.Member]) -> String? {
        payload.first { $0.name.utf8.elementsEqual("client".utf8) }?.value.string
    }

    /// `<kind>:<id or operator name>`, the kind alone when there is neither.
    private static func actor(of event: StoredEvent, _ metadata: EventMetadata) -> String {
        let kind = metadata.actor.rawValue
        if let name = metadata.by { return "\(kind):\(name)" }
        return event.actor.map { "\(kind):\($0)" } ?? kind
    }

    /// Twenty digits, so that texts sort as numbers do.
    private static func sequence(_ logIndex: Int64) -> [UInt8] {
        let digits = Array("\(logIndex)".utf8)
        return Array(repeating: UInt8(ascii: "0"), count: max(0, 20 - digits.count)) + digits
    }

    private struct Headers {
        var all: [PublishedRecord.Header] = []

        mutating func add(_ name: String, bytes: [UInt8]) {
            all.append(PublishedRecord.Header(name, bytes))
        }

        mutating func add(_ name: String, _ text: String?) {
            if let text { add(name, bytes: Array(text.utf8)) }
        }

        mutating func add(_ name: String, _ id: StreamID?) {
            if let id { add(name, bytes: id.textBytes) }
        }
    }
}
