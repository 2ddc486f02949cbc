internal import Domain
internal import OAuth

extension PublishedForm {
    /// The headers, in the order of the table in Events 10.2.
    static func headers(
        of event: StoredEvent,
        _ form: TypeForm,
        _ payload: CanonicalObject,
        _ metadata: EventMetadata,
        at place: Place
    ) -> PublishedRecord.Headers {
        var headers = PublishedRecord.Headers()
        headers.add(Name.contentType) { $0 += contentType }
        headers.add(Name.specification) { $0 += specification }
        headers.add(Name.id) { append(place.logIndex, to: &$0) }
        headers.add(Name.source) {
            $0 += sourceStart
            place.log.appendText(to: &$0)
        }
        headers.add(Name.type) { $0 += form.typeText }
        headers.add(Name.time) { $0 += RFC3339.text(event.columns.occurredAt) }
        if let subject = event.columns.subject {
            headers.add(Name.subject) { subject.stream.appendText(to: &$0) }
        }
        headers.add(Name.sequence) { append(place.logIndex, atLeast: 20, to: &$0) }
        if form.namesStream {
            headers.add(Name.stream) { event.stream.appendText(to: &$0) }
            headers.add(Name.streamVersion) { append(Int64(event.version), to: &$0) }
        }
        headers.add(Name.project) { $0 += place.projectName.text.utf8 }
        addClient(of: payload, to: &headers)
        if let session = event.columns.session {
            headers.add(Name.session) { session.stream.appendText(to: &$0) }
        }
        headers.add(Name.actor) { append(actorOf: event, metadata, to: &$0) }
        headers.add(Name.hash) { append(place.hash.digest, to: &$0) }
        headers.add(Name.correlation) { metadata.correlation.appendText(to: &$0) }
        if let cause = metadata.cause {
            headers.add(Name.causation) {
                cause.stream.appendText(to: &$0)
                $0.append(UInt8(ascii: ":"))
                append(Int64(cause.version), to: &$0)
            }
        }
        if let parent = metadata.traceparent {
            headers.add(Name.traceparent) { $0 += parent.utf8 }
        }
        headers.add(Name.relayEpoch) { append(place.relayEpoch, to: &$0) }
        return headers
    }

    // Made once: a relay in haste makes the headers of tens of thousands of records a second.
    private static let contentType = Array("application/json".utf8)
    private static let specification = Array("1.0".utf8)
    private static let sourceStart = Array(sourcePrefix.utf8)
    private static let actorTexts = Dictionary(
        uniqueKeysWithValues: EventMetadata.ActorKind.allCases.map {
            ($0, Array("\($0.rawValue):".utf8))
        }
    )

    /// Names of headers, with the NUL they are packed with.
    private enum Name {
        static let contentType = packed("content-type")
        static let specification = packed("ce_specversion")
        static let id = packed("ce_id")
        static let source = packed("ce_source")
        static let type = packed("ce_type")
        static let time = packed("ce_time")
        static let subject = packed("ce_subject")
        static let sequence = packed("ce_sequence")
        static let stream = packed("ce_stream")
        static let streamVersion = packed("ce_streamversion")
        static let project = packed("ce_project")
        static let client = packed("ce_client")
        static let session = packed("ce_session")
        static let actor = packed("ce_actor")
        static let hash = packed("ce_eventhash")
        static let correlation = packed("ce_correlation")
        static let causation = packed("ce_causation")
        static let traceparent = packed("ce_traceparent")
        static let relayEpoch = packed("ce_relayepoch")

        private static func packed(_ name: String) -> [UInt8] { Array(name.utf8) + [0] }
    }

    private static func addClient(
        of payload: CanonicalObject,
        to headers: inout PublishedRecord.Headers
    ) {
        guard let member = payload.member("client") else { return }
        if let content = payload.content(of: member) {
            headers.add(Name.client) { $0 += payload.bytes[content] }
        } else if let text = payload.text(of: member) {
            headers.add(Name.client) { $0 += text.utf8 }
        }
    }

    /// `<kind>:<id or operator name>`, the kind alone when there is neither.
    private static func append(
        actorOf event: StoredEvent,
        _ metadata: EventMetadata,
        to text: inout [UInt8]
    ) {
        let kind = actorTexts[metadata.actor] ?? []
        if let name = metadata.by {
            text += kind
            text += name.utf8
        } else if let id = event.actor {
            text += kind
            id.appendText(to: &text)
        } else {
            text += kind.dropLast()
        }
    }

    private static func append(_ digest: TokenDigest, to text: inout [UInt8]) {
        Hexadecimal.append(digest.words.0, to: &text)
        Hexadecimal.append(digest.words.1, to: &text)
        Hexadecimal.append(digest.words.2, to: &text)
        Hexadecimal.append(digest.words.3, to: &text)
    }

    /// A number that is not negative, with `least` digits at least: so texts sort as numbers do.
    private static func append(
        _ number: Int64,
        atLeast least: Int = 1,
        to text: inout [UInt8]
    ) {
        var (count, unit) = (1, UInt64(10))
        while number.magnitude >= unit { (count, unit) = (count + 1, unit * 10) }
        text.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: max(least, count)))
        var span = text.mutableSpan
        var (place, rest) = (span.count - 1, number.magnitude)
        while rest > 0 {
            span[place] = UInt8(truncatingIfNeeded: rest % 10) + 0x30
            (place, rest) = (place - 1, rest / 10)
        }
    }
}
