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

    /// As many as an operator reads.
    package static let versionsMax = 200

    private let store: any EventStore
    private let changes: any ChangeLog

    package init(store: any EventStore, changes: any ChangeLog) {
        self.store = store
        self.changes = changes
    }

    /// The versions of `project`, newest first, at most 200.
    package func versions(of project: Project, by deadline: Deadline)
        async throws(OperationError) -> [Version]
    {
        let stream = project.configuration.stream
        do throws(StoreError) {
            let head = try await store.loadCurrent(ProjectConfig.self, stream, by: deadline)
            let events = try await store.history(
                of: stream,
                after: max(0, head.version - Int32(Self.versionsMax)),
                by: deadline
            )
            let who = try await changes.changes(
                of: stream,
                limit: Self.versionsMax,
                by: deadline
            )
            let byVersion = Dictionary(who.map { ($0.version, $0) }) { first, _ in first }
            return events.reversed().prefix(Self.versionsMax).compactMap { event in
                guard case .projectConfig(let body) = event.body else { return nil }
                return Version(
                    number: event.version,
                    at: event.occurredAt,
                    operatorName: byVersion[event.version]?.operatorName,
                    reason: byVersion[event.version]?.reason,
                    change: Change(body)
                )
            }
        } catch { throw .store(error) }
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
