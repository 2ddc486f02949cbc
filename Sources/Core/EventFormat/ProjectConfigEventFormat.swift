internal import Domain
internal import OAuth

extension ProjectConfig.Event {
    var storedType: StoredType {
        switch self {
        case .applied: .projectConfigApplied
        case .suspended: .projectConfigSuspended
        case .resumed: .projectConfigResumed
        }
    }

    func write(to payload: inout JSONWriter) {
        switch self {
        case .applied(let applied, let changed, let added, let cascaded):
            if let added { payload.member("added", added.clients.map(\.text)) }
            if let cascaded { payload.member("cascaded", cascaded.clients.map(\.text)) }
            payload.member("changed", changed)
            payload.member("digest", applied.digest)
            // As text: in base64url the largest document would not fit the column.
            payload.member("document", String(decoding: applied.document, as: UTF8.self))
            payload.member("project", applied.id.text)
        case .suspended(let reason):
            payload.member("reason", reason)
        case .resumed: break
        }
    }

    static func applied(from payload: PayloadReader) throws(FormatError) -> Self {
        .applied(
            ProjectConfig.Applied(
                id: try payload.required("project") { $0.string.flatMap { ProjectID($0.utf8) } },
                digest: try payload.digest("digest"),
                document: Array(try payload.text("document").utf8)
            ),
            changed: try payload.required("changed", \.strings),
            added: try difference("added", in: payload),
            cascaded: try difference("cascaded", in: payload)
        )
    }

    private static func difference(_ name: String, in payload: PayloadReader)
        throws(FormatError) -> ProjectConfig.Difference?
    {
        try payload.optional(name) { value in
            guard let names = value.strings else { return nil }
            let clients = names.compactMap { ClientID($0.utf8) }
            guard clients.count == names.count else { return nil }
            return ProjectConfig.Difference(clients, at: payload.occurredAt)
        }
    }

    static func suspended(from payload: PayloadReader) throws(FormatError) -> Self {
        .suspended(reason: try payload.text("reason"))
    }

    static func resumed(from _: PayloadReader) throws(FormatError) -> Self { .resumed }
}
