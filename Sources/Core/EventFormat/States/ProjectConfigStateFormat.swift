internal import Domain
internal import OAuth

extension ProjectConfig.State: StoredState {
    // 2: when clients came; 3: in a list; 4: when clients went that cascade.
    static var format: Int32 { 4 }

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
        applied.clientsSince = try payload.times("clients")
        applied.cascadedAt = try payload.times("cascaded")
        self = try payload.bool("suspended") ? .suspended(applied) : .applied(applied)
    }
}

extension ProjectConfig.Applied {
    fileprivate func write(to payload: inout JSONWriter, isSuspended: Bool) {
        payload.member("cascaded", cascadedAt)
        payload.member("clients", clientsSince)
        payload.member("digest", digest)
        payload.member("document", String(decoding: document, as: UTF8.self))
        payload.member("project", id.text)
        payload.member("suspended", isSuspended)
    }
}

extension JSONWriter {
    /// Sorted; no names of members: ids are spelt as those may not be.
    fileprivate mutating func member(_ name: String, _ clients: [ClientID: Instant]) {
        let sorted = clients.sorted { left, right in
            left.key.text.utf8.lexicographicallyPrecedes(right.key.text.utf8)
        }
        member(name, objects: sorted) { client, one in
            client.member("client", one.key)
            client.member("since_us", microseconds: one.value)
        }
    }
}

extension PayloadReader {
    fileprivate func times(_ name: String) throws(FormatError) -> [ClientID: Instant] {
        let clients = try objects(name) { client throws(FormatError) in
            (try client.client(), try client.microseconds("since_us"))
        }
        return Dictionary(clients) { $1 }
    }
}
