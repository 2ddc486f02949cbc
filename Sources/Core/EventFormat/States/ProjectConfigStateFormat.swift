internal import Domain
internal import OAuth

extension ProjectConfig.State: StoredState {
    // 2: when clients came; 3: in a list.
    static var format: Int32 { 3 }

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
        let clients = try payload.objects("clients") { client throws(FormatError) in
            (try client.client(), try client.microseconds("since_us"))
        }
        for (client, since) in clients { applied.clientsSince[client] = since }
        self = try payload.bool("suspended") ? .suspended(applied) : .applied(applied)
    }
}

extension ProjectConfig.Applied {
    fileprivate func write(to payload: inout JSONWriter, isSuspended: Bool) {
        let sorted = clientsSince.sorted { left, right in
            left.key.text.utf8.lexicographicallyPrecedes(right.key.text.utf8)
        }
        // No names of members: ids are spelt as those may not be.
        payload.member("clients", objects: sorted) { client, came in
            client.member("client", came.key)
            client.member("since_us", microseconds: came.value)
        }
        payload.member("digest", digest)
        payload.member("document", String(decoding: document, as: UTF8.self))
        payload.member("project", id.text)
        payload.member("suspended", isSuspended)
    }
}
