internal import Domain
internal import OAuth

extension ProjectConfig.State: StoredState {
    // 2: when clients came.
    static var format: Int32 { 2 }

    var isInitial: Bool { self == .absent }

    func write(to payload: inout JSONWriter) {
        switch self {
        case .absent: break
        case .applied(let applied): applied.write(to: &payload, isSuspended: false)
        case .suspended(let applied): applied.write(to: &payload, isSuspended: true)
        }
    }

    init(from payload: PayloadReader) throws(FormatError) {
        var applied = ProjectConfig.Applied(
            id: try payload.required("project") { $0.string.flatMap { ProjectID($0.utf8) } },
            digest: try payload.digest("digest"),
            document: Array(try payload.text("document").utf8)
        )
        applied.clientsSince = try payload.required("clients_since", ProjectConfig.Applied.times)
        self = try payload.bool("suspended") ? .suspended(applied) : .applied(applied)
    }
}

extension ProjectConfig.Applied {
    fileprivate func write(to payload: inout JSONWriter, isSuspended: Bool) {
        payload.name("clients_since")
        payload.object { payload in
            let sorted = clientsSince.sorted { left, right in
                left.key.text.utf8.lexicographicallyPrecedes(right.key.text.utf8)
            }
            for (client, since) in sorted { payload.member(client.text, since.microseconds) }
        }
        payload.member("digest", digest)
        payload.member("document", String(decoding: document, as: UTF8.self))
        payload.member("project", id.text)
        payload.member("suspended", isSuspended)
    }

    fileprivate static func times(_ value: PayloadValue) -> [ClientID: Instant]? {
        guard let members = value.json?.members else { return nil }
        var times: [ClientID: Instant] = [:]
        for member in members {
            guard let client = ClientID(member.name.utf8), let since = member.value.integer else {
                return nil
            }
            times[client] = Instant(microseconds: since)
        }
        return times
    }
}
