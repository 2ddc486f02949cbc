package import Domain
internal import OAuth

/// A user's own sessions: read from the log and so exact, and ended (wire.md section 9.5).
package struct UserSessions: Sendable {
    /// Entries of one page.
    package static let pageMax = 50

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
    ///
    /// The cursor may have ended since; behind one that is not of this user there is nothing.
    package func page(
        of subject: SubjectID,
        after cursor: SessionID?,
        in project: Project,
        by deadline: Deadline
    ) async throws(StoreError) -> (entries: [SessionList.Entry], hasMore: Bool) {
        var foundations = Foundations(in: project, store, by: deadline)
        var entries: [SessionList.Entry] = []
        var isBehind = cursor == nil
        try await store.eachStream(of: subject, SessionList.kinds, by: deadline) {
            (opened: OpenedStream) async throws(StoreError) in
            guard isBehind else {
                isBehind = SessionID(opened.stream) == cursor
                return true
            }
            guard !opened.isOver, let entry = try await list.entry(opened, by: deadline),
                try await isAlive(entry, &foundations)
            else { return true }
            entries.append(entry)
            return entries.count <= Self.pageMax
        }
        return (Array(entries.prefix(Self.pageMax)), entries.count > Self.pageMax)
    }

    /// What the apps of one user's sessions said of their phones; nothing when the user is erased.
    package func devices(of entries: [SessionList.Entry], by deadline: Deadline)
        async throws(StoreError) -> [StreamID: DeviceInfo]
    {
        guard let subject = entries.first?.subject else { return [:] }
        let sealed: [StreamID: Sealed] = entries.reduce(into: [:]) {
            $0[$1.session.stream] = $1.device
        }
        return try await sealer.deviceInfos(sealed, of: subject, by: deadline)
    }

    /// A live session of this user; nil for all others, whosever they are.
    package func entry(
        _ id: SessionID,
        of subject: SubjectID,
        in project: Project,
        by deadline: Deadline
    ) async throws(StoreError) -> SessionList.Entry? {
        let entry = try await list.entry(id, seenFrom: project.number, by: deadline)
        var foundations = Foundations(in: project, store, by: deadline)
        guard let entry, entry.subject == subject, try await isAlive(entry, &foundations)
        else { return nil }
        return entry
    }

    /// Whether a token of the session would do: it lives, and so does all it rests on.
    private func isAlive(_ entry: SessionList.Entry, _ foundations: inout Foundations)
        async throws(StoreError) -> Bool
    {
        guard entry.status == .live else { return false }
        guard let opening = entry.opening else { return true }
        return try await foundations.areOpen(under: opening)
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
        var foundations = Foundations(in: request.project, store, by: request.deadline)
        let wasAlive = try await isAlive(entry, &foundations)
        // Of one that had ended before, too: who repeats a request finishes its work.
        try await end(entry, request)
        return wasAlive
    }

    /// Ends all sessions of the user but one and those it rests on, whose end would be its own.
    ///
    /// - Returns: how many of them were live.
    package func endAll(of subject: SubjectID, but kept: SessionID, request: CommandRequest)
        async throws(StoreError) -> Int
    {
        var foundations = Foundations(in: request.project, store, by: request.deadline)
        return try await ending.endAll(
            of: subject,
            but: foundations.sessions(under: kept),
            grants: .logout,
            browserSessions: .logout,
            request: request
        )
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
