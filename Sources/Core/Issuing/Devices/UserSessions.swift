package import Domain
internal import OAuth

/// A user's own sessions: read from the log and so exact, and ended (wire.md section 9.5).
package struct UserSessions: Sendable {
    /// Entries of one page.
    package static let pageMax = 50
    /// The newest sessions, ended ones too, among which the live ones are looked for.
    package static let seenMax = 200

    private let list: SessionList
    private let ending: SessionEnding
    private let store: any EventStore
    private let sealer: any Sealer

    package init(commands: CommandRunner, sealer: any Sealer) {
        self.sealer = sealer
        store = commands.store
        list = SessionList(store: commands.store, clock: commands.clock)
        ending = SessionEnding(commands: commands)
    }

    /// The live ones, newest first, from the one behind `cursor` on; and whether there are more.
    package func page(of subject: SubjectID, after cursor: SessionID?, by deadline: Deadline)
        async throws(StoreError) -> (entries: [SessionList.Entry], hasMore: Bool)
    {
        let live = try await live(of: subject, by: deadline)
        var rest = live[...]
        if let cursor {
            guard let index = live.firstIndex(where: { $0.session == cursor }) else {
                // It has ended since: what is older than it by its id goes on.
                rest = live.filter { $0.session.stream < cursor.stream }[...]
                return (Array(rest.prefix(Self.pageMax)), rest.count > Self.pageMax)
            }
            rest = live[(index + 1)...]
        }
        return (Array(rest.prefix(Self.pageMax)), rest.count > Self.pageMax)
    }

    /// What the app of a session said of its phone; nil for nothing, or when its user is erased.
    package func device(of entry: SessionList.Entry, by deadline: Deadline)
        async throws(StoreError) -> DeviceInfo?
    {
        try await sealer.deviceInfo(
            entry.device,
            on: entry.session.stream,
            of: entry.subject,
            by: deadline
        )
    }

    /// A live session of this user; nil for all others, whosever they are.
    package func entry(
        _ id: SessionID,
        of subject: SubjectID,
        in project: Project,
        by deadline: Deadline
    ) async throws(StoreError) -> SessionList.Entry? {
        let entry = try await list.entry(id, seenFrom: project.number, by: deadline)
        guard let entry, entry.subject == subject, entry.status == .live else { return nil }
        return entry
    }

    /// Ends one session of this user and what its end ends; false when there is no such session.
    package func end(_ id: SessionID, of subject: SubjectID, request: CommandRequest)
        async throws(StoreError) -> Bool
    {
        let entry = try await list.entry(
            id,
            seenFrom: request.project.number,
            by: request.deadline
        )
        guard let entry, entry.subject == subject, entry.status != .expired else { return false }
        // Of one that had ended before, too: who repeats a request finishes its work.
        try await end(entry, request)
        return entry.status == .live
    }

    /// Ends all sessions of the user but one and the browser's that it rests on.
    ///
    /// - Returns: how many.
    package func endAll(of subject: SubjectID, but kept: SessionID, request: CommandRequest)
        async throws(StoreError) -> Int
    {
        let base = try await browser(of: kept, by: request.deadline)
        let others = try await live(of: subject, by: request.deadline)
            .filter { $0.session != kept && $0.session != base }
        for entry in others { try await end(entry, request) }
        return others.count
    }

    /// The browser's session that an app's session rests on.
    private func browser(of id: SessionID, by deadline: Deadline)
        async throws(StoreError) -> SessionID?
    {
        guard try await list.entry(id, by: deadline)?.kind == .offlineGrant else { return nil }
        let grant = try await store.loadCurrent(OfflineGrant.self, id.stream, by: deadline)
        return grant.state.session?.opening.browserSession
    }

    private func live(of subject: SubjectID, by deadline: Deadline)
        async throws(StoreError) -> [SessionList.Entry]
    {
        try await list.entries(of: subject, limit: Self.seenMax, by: deadline)
            .filter { $0.status == .live }
    }

    private func end(_ entry: SessionList.Entry, _ request: CommandRequest)
        async throws(StoreError)
    {
        switch entry.kind {
        case .offlineGrant:
            try await ending.revoke(entry.session, .logout, request: request)
        case .browser:
            try await ending.endBrowser(entry.session, .logout, request: request)
        }
    }
}
