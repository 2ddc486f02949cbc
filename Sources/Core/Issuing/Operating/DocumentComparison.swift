internal import Domain

/// What a new document of a project is beside the one in force.
struct DocumentComparison {
    /// The document in force.
    let old: [UInt8]?
    /// Those of the document in force.
    let claims: ProjectClaims
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
        claims = ProjectClaims(of: old, by: documents)
        changed = documents.changedPaths(from: old, to: new)
        let known = Set(old.map(documents.clients) ?? [])
        let clients = settings.clients.map(\.id)
        added = clients.filter { !known.contains($0) }
        let kept = Set(clients)
        cascaded = (old.map(documents.cascadingClients) ?? []).filter { !kept.contains($0) }
    }

    /// What puts the new document in force; `digest`: of the one the operator saw.
    func order(
        _ applied: ProjectConfig.Applied,
        expecting digest: TokenDigest,
        at now: Instant
    ) -> ProjectConfig.Command {
        .apply(
            applied,
            expected: digest,
            changed: changed,
            added: .init(added, at: now),
            cascaded: .init(cascaded, at: now)
        )
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
