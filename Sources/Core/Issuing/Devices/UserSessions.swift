package import Domain
internal import OAuth

/// A user's own sessions: read from the log and so exact, and ended (WireContract 9.5).
package struct UserSessions: Sendable {
    private let list: SessionList
    private let ending: SessionEnding
    private let commands: CommandRunner
    private let sealer: any Sealer
    private var store: any EventStore { commands.store }

    package init(commands: CommandRunner, sealer: any Sealer) {
        self.sealer = sealer
        self.commands = commands
        list = SessionList(commands)
        ending = SessionEnding(commands: commands)
    }

    /// The live ones, newest first, from the one behind `cursor` on (`SessionList.page`).
    package func page(
        of subject: SubjectID,
        after cursor: SessionID?,
        in project: Project,
        by deadline: Deadline
    ) async throws(StoreError) -> SessionList.Page {
        try await list.page(
            of: subject,
            after: cursor,
            showing: [.live],
            in: project,
            by: deadline
        )
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
        try await ending.end(entry, grant: .logout, browserSession: .logout, request: request)
        return entry.status == .live
    }

    /// Ends all sessions of the user but those kept and what these rest on, whose end would be
    /// theirs.
    ///
    /// - Returns: how many of them were live.
    package func endAll(of subject: SubjectID, but kept: Set<SessionID>, request: CommandRequest)
        async throws(StoreError) -> Int
    {
        // Settings decide which session rests on which: the newest, not those of a moment ago.
        let project = try await commands.newest(request.project, by: request.deadline)
        var foundations = Foundations(in: project, commands, by: request.deadline)
        var all: Set<SessionID> = []
        for session in kept { all.formUnion(try await foundations.sessions(under: session)) }
        return try await ending.endAll(
            of: subject,
            but: all,
            grants: .logout,
            browserSessions: .logout,
            request: request
        )
    }
}
