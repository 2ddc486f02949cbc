import Domain
import EventFormat
import OAuth
import Publishing
import TestSupport

/// The messages of `chancery.events`, one of each stored type, and its watermark.
enum EventMessages {
    typealias Entries = [(key: String, value: Outline)]

    static func all() throws -> Entries {
        try StoredType.allCases.map { (key: $0.name, value: try message(of: $0)) }
            + [(key: "log.watermark.v1", value: watermark)]
    }

    /// What the headers of all events have in common; an address's stream is not told.
    static func headerSchemas() throws -> Entries {
        [
            (key: "eventHeaders", value: try headers(of: .offlineGrantClientLeft)),
            (key: "loginIDHeaders", value: try headers(of: .loginIDReleased)),
        ]
    }

    private static func message(of type: StoredType) throws -> Outline {
        let full = try names(type, isWhole: true)
        let least = try names(type, isWhole: false)
        let isNamed = type.kind != .loginID
        let shared = isNamed ? "eventHeaders" : "loginIDHeaders"
        let common = try headers(of: isNamed ? .offlineGrantClientLeft : .loginIDReleased)
        let known = Set(common["properties"]?.keys ?? [])
        guard known.isSuperset(of: full) else {
            throw Undescribed(names: Set(full).subtracting(known))
        }
        let extra = least.filter { !(common["required"]?.texts ?? []).contains($0) }
        let published = type.members.filter { $0.mark == .published }
        var schema: Outline = [
            "type": "object",
            "allOf": [AsyncAPIDocument.reference(shared)],
            "properties": ["ce_type": ["const": .text("chancery.\(type.name)")]],
        ]
        if !extra.isEmpty { schema = schema.adding("required", .list(extra.map(Outline.text))) }
        return [
            "name": .text("chancery.\(type.name)"),
            "headers": schema,
            "payload": AsyncAPIDocument.object(
                published.map { (key: $0.name, value: value(of: $0.form)) },
                required: published.filter { !$0.isOptional }.map(\.name)
            ),
            "bindings": AsyncAPIDocument.kafka(key: AsyncAPIDocument.reference("id")),
        ]
    }

    private static func value(of form: StoredMember.Form) -> Outline {
        switch form {
        case .text: ["type": "string"]
        case .boolean: ["type": "boolean"]
        case .integer: ["type": "integer", "format": "int64"]
        case .time: AsyncAPIDocument.reference("time")
        case .id: AsyncAPIDocument.reference("id")
        case .texts: ["type": "array", "items": ["type": "string"]]
        case .parent: AsyncAPIDocument.reference("parent")
        case .key: AsyncAPIDocument.reference("publicKey")
        }
    }

    private static var watermark: Outline {
        let record = LogWatermark(log: Sample.stream(1), completeThrough: Sample.time(0), index: 0)
            .record(at: Sample.time(0))
        let names = record.headers.list.map(\.name)
        return [
            "name": "chancery.log.watermark.v1",
            "headers": AsyncAPIDocument.object(
                names.map { name in
                    name == "ce_type"
                        ? (key: name, value: ["const": "chancery.log.watermark.v1"])
                        : (key: name, value: meanings[name] ?? [:])
                },
                required: names
            ),
            "payload": AsyncAPIDocument.reference("watermark"),
            "bindings": AsyncAPIDocument.kafka(key: nil),
        ]
    }

    private static func headers(of type: StoredType) throws -> Outline {
        let full = try names(type, isWhole: true)
        guard full.allSatisfy({ meanings[$0] != nil }) else {
            throw Undescribed(names: Set(full.filter { meanings[$0] == nil }))
        }
        return AsyncAPIDocument.object(
            full.compactMap { name in meanings[name].map { (key: name, value: $0) } },
            // Who reads it in a shared schema: `ce_client` is required by types that have one.
            required: try names(type, isWhole: false).filter { $0 != "ce_client" }
        )
    }

    /// The headers of a record of this type, with all that it may have or the least.
    private static func names(_ type: StoredType, isWhole: Bool) throws -> [String] {
        let hasClient = type.members.contains {
            $0.name == "client" && $0.mark == .published && (isWhole || !$0.isOptional)
        }
        let payload: JSON = .object(hasClient ? [JSON.Member("client", "app")] : [])
        var metadata = EventMetadata(actor: .system, correlation: Sample.stream(1), node: "a")
        if isWhole {
            metadata.cause = Cause(stream: Sample.stream(2), version: 1)
            metadata.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        }
        let needsSubject = isWhole || type.kind == .loginID
        let row = StoredEvent(
            project: Sample.number(1),
            stream: Sample.stream(3),
            version: 1,
            type: type.rawValue,
            command: CommandID(Sample.stream(4)),
            actor: nil,
            columns: StoredColumns(
                occurredAt: Sample.time(0),
                subject: needsSubject ? Sample.subject(5) : nil,
                session: isWhole ? Sample.session(6) : nil
            ),
            payload: JSONWriter.write(payload),
            metadata: metadata.encoded()
        )
        let place = PublishedForm.Place(
            log: Sample.stream(7),
            logIndex: 1,
            projectName: Sample.project("shop"),
            hash: EventHash(digest: Sample.digest(8)),
            relayEpoch: 1
        )
        return try PublishedForm.record(of: row, at: place).headers.list.map(\.name)
    }

    /// A header nobody has described.
    struct Undescribed: Error { var names: Set<String> }

    private static func text(_ meaning: String) -> Outline {
        ["type": "string", "description": .text(meaning)]
    }

    private static let meanings: [String: Outline] = [
        "content-type": ["const": "application/json"],
        "ce_specversion": ["const": "1.0"],
        "ce_id": text("The log index in decimal digits; of a watermark, a name of its own."),
        "ce_source": [
            "type": "string", "pattern": "^urn:chancery:log:[0-9a-f-]{36}$",
            "description": "The log: one installation, one history.",
        ],
        "ce_type": text("chancery.<kind>.<event>.v<version>"),
        "ce_time": [
            "type": "string", "format": "date-time",
            "description": "When it was decided; of a watermark, when its record was made.",
        ],
        "ce_subject": text("The user's id."),
        "ce_sequence": [
            "type": "string", "pattern": "^[0-9]{20}$",
            "description": "The log index: the number for order and for duplicates.",
        ],
        "ce_stream": text("The stream's id."),
        "ce_streamversion": text("The version of the stream that this event made, from 1 on."),
        "ce_project": text("The project's name."),
        "ce_client": text("The client_id, of events that name a client."),
        "ce_session": text("The session it belongs to: the sid of its tokens."),
        "ce_actor": text("<kind>:<id or operator's name>; the kind alone when there is neither."),
        "ce_eventhash": text("The event's hash in the chain of its stream, hexadecimal."),
        "ce_correlation": text("The outermost request."),
        "ce_causation": text("<stream>:<version> of the event that made this one happen."),
        "ce_traceparent": text("W3C Trace Context."),
        "ce_relayepoch": text("For diagnosis only."),
    ]
}
