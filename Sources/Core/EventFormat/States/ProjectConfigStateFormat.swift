internal import Domain
internal import OAuth

extension ProjectConfig.State: StoredState {
    static var format: Int32 { 1 }

    var isInitial: Bool { self == .absent }

    func write(to payload: inout JSONWriter) {
        switch self {
        case .absent: break
        case .applied(let applied): applied.write(to: &payload, isSuspended: false)
        case .suspended(let applied): applied.write(to: &payload, isSuspended: true)
        }
    }

    init(from payload: PayloadReader) throws(FormatError) {
        let applied = ProjectConfig.Applied(
            id: try payload.required("project") { $0.string.flatMap { ProjectID($0.utf8) } },
            digest: try payload.digest("digest"),
            document: Array(try payload.text("document").utf8)
        )
        self = try payload.bool("suspended") ? .suspended(applied) : .applied(applied)
    }
}

extension ProjectConfig.Applied {
    fileprivate func write(to payload: inout JSONWriter, isSuspended: Bool) {
        payload.member("digest", digest)
        payload.member("document", String(decoding: document, as: UTF8.self))
        payload.member("project", id.text)
        payload.member("suspended", isSuspended)
    }
}
