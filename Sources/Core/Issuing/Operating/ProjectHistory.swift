package import Domain

/// Every configuration a project has had, and when it was suspended: by whom, when and why.
package struct ProjectHistory: Sendable {
    /// One configuration, or one change of what becomes of it.
    package struct Version: Hashable, Sendable {
        package var number: Int32
        package var at: Instant
        package var operatorName: String?
        package var reason: String?
        package var change: Change
    }

    /// What an operator did.
    package enum Change: Hashable, Sendable {
        /// `changed`: the top-level paths that differ from the document before.
        case applied(TokenDigest, changed: [String])
        case suspended, resumed
    }

    /// Part of it, newest first.
    package struct Page: Hashable, Sendable {
        package var versions: [Version]
        /// The version before which the next page begins; nil: nothing is older.
        package var next: Int32?
    }

    /// As many as an operator reads.
    package static let versionsMax = 200

    let changes: any ChangeLog

    package init(changes: any ChangeLog) { self.changes = changes }

    /// The versions of `project` before `end`, or the newest ones: at most 200.
    package func versions(of project: Project, before end: Int32? = nil, by deadline: Deadline)
        async throws(OperationError) -> Page
    {
        let found: [OperatorChange]
        do throws(StoreError) {
            found = try await changes.changes(
                of: project.configuration.stream,
                before: end,
                limit: Self.versionsMax,
                by: deadline
            )
        } catch { throw .store(error) }
        let versions = found.compactMap { change -> Version? in
            guard case .projectConfig(let event) = change.event else { return nil }
            return Version(
                number: change.version,
                at: change.at,
                operatorName: change.operatorName,
                reason: change.reason,
                change: Change(event)
            )
        }
        // The first of a stream is 1, and none is left out.
        let next = found.last.flatMap { $0.version > 1 ? $0.version : nil }
        return Page(versions: versions, next: next)
    }
}

extension ProjectHistory.Change {
    fileprivate init(_ event: ProjectConfig.Event) {
        switch event {
        case .applied(let applied, let changed, _, _):
            self = .applied(applied.digest, changed: changed)
        case .suspended: self = .suspended
        case .resumed: self = .resumed
        }
    }
}
