internal import Domain
internal import OAuth

extension PublishedForm {
    /// The headers, in the order of the table in events.md section 10.2.
    static func headers(
        of event: StoredEvent,
        _ type: StoredType,
        _ payload: [JSON.Member],
        _ metadata: EventMetadata,
        at place: Place,
        streamText: [UInt8]
    ) -> PublishedRecord.Headers {
        var headers = PublishedRecord.Headers()
        headers.add("content-type", contentType)
        headers.add("ce_specversion", specification)
        headers.add("ce_id", digits(place.logIndex))
        headers.add("ce_source", sourceStart, place.log.textBytes)
        headers.add("ce_type", typeTexts[type] ?? Array("\(typePrefix)\(type.name)".utf8))
        headers.add("ce_time", RFC3339.text(event.columns.occurredAt))
        if let subject = event.columns.subject {
            headers.add("ce_subject", subject.stream.textBytes)
        }
        headers.add("ce_sequence", digits(place.logIndex, atLeast: 20))
        if type.kind != .loginID {
            headers.add("ce_stream", streamText)
            headers.add("ce_streamversion", digits(Int64(event.version)))
        }
        headers.add("ce_project", Array(place.projectName.text.utf8))
        if let client = client(in: payload) { headers.add("ce_client", Array(client.utf8)) }
        if let session = event.columns.session {
            headers.add("ce_session", session.stream.textBytes)
        }
        addActor(of: event, metadata, to: &headers)
        headers.add("ce_eventhash", Hexadecimal.encode(place.hash.digest.bytes))
        headers.add("ce_correlation", metadata.correlation.textBytes)
        if let cause = metadata.cause {
            headers.add(
                "ce_causation",
                cause.stream.textBytes + [0x3A],
                digits(Int64(cause.version))
            )
        }
        if let parent = metadata.traceparent { headers.add("ce_traceparent", Array(parent.utf8)) }
        headers.add("ce_relayepoch", digits(place.relayEpoch))
        return headers
    }

    // Made once: a relay in haste makes the headers of tens of thousands of records a second.
    private static let contentType = Array("application/json".utf8)
    private static let specification = Array("1.0".utf8)
    private static let sourceStart = Array(sourcePrefix.utf8)
    private static let typeTexts = Dictionary(
        uniqueKeysWithValues: StoredType.allCases.map {
            ($0, Array("\(typePrefix)\($0.name)".utf8))
        }
    )
    private static let actorTexts = Dictionary(
        uniqueKeysWithValues: EventMetadata.ActorKind.allCases.map {
            ($0, Array("\($0.rawValue):".utf8))
        }
    )

    private static func client(in payload: [JSON.Member]) -> String? {
        payload.first { $0.name.utf8.elementsEqual("client".utf8) }?.value.string
    }

    /// `<kind>:<id or operator name>`, the kind alone when there is neither.
    private static func addActor(
        of event: StoredEvent,
        _ metadata: EventMetadata,
        to headers: inout PublishedRecord.Headers
    ) {
        let start = actorTexts[metadata.actor] ?? []
        if let name = metadata.by {
            headers.add("ce_actor", start, Array(name.utf8))
        } else if let id = event.actor {
            headers.add("ce_actor", start, id.textBytes)
        } else {
            headers.add("ce_actor", start.dropLast())
        }
    }

    /// Of a number that is not negative, with `least` digits at least: so texts sort as numbers do.
    private static func digits(_ number: Int64, atLeast least: Int = 1) -> [UInt8] {
        var (rest, count) = (number.magnitude / 10, 1)
        while rest > 0 { (rest, count) = (rest / 10, count + 1) }
        var text = [UInt8](repeating: UInt8(ascii: "0"), count: max(least, count))
        var place = text.count
        rest = number.magnitude
        while rest > 0 {
            place -= 1
            text[place] = UInt8(truncatingIfNeeded: rest % 10) + 0x30
            rest /= 10
        }
        return text
    }
}
