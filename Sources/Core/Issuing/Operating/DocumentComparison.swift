internal import Domain

/// What a new document of a project is beside the one in force.
struct DocumentComparison {
    /// The document in force.
    let old: [UInt8]?
    /// Those of the document in force, that of its feed among them.
    let hosts: Set<String>
    let changed: [String]
    /// The clients that the document in force has not: what they had before is void.
    let added: [ClientID]
    /// The clients that the new document has not: whom they let in goes with them.
    let cascaded: [ClientID]

    /// `settings`: what `new` means.
    init(
        of settings: ProjectSettings,
        _ new: [UInt8],
        _ old: [UInt8]?,
        _ documents: any ProjectDocuments
    ) {
        self.old = old
        hosts = Set(old.map(documents.hosts) ?? [])
        changed = documents.changedPaths(from: old, to: new)
        let known = Set(old.map(documents.clients) ?? [])
        let clients = settings.clients.map(\.id)
        added = clients.filter { !known.contains($0) }
        let kept = Set(clients)
        cascaded = (old.map(documents.cascadingClients) ?? []).filter { !kept.contains($0) }
    }
}

extension ProjectConfig.State {
    /// The document in force.
    var document: [UInt8]? {
        switch self {
        case .absent: nil
        case .applied(let applied), .suspended(let applied): applied.document
        }
    }

    var isSuspended: Bool { if case .suspended = self { true } else { false } }
}
