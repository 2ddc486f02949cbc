internal import Domain

// A biometric key outlives the session that set it up, but not the discovery that this session was
// a thief's (decision 0188).
extension SessionEnding {
    /// A key that is set up while others are ended is found by another walk.
    private static let walksMax = 4

    /// Ends what a session has set up whose code came again, where that ended it; nothing of one
    /// that lives, or ended otherwise: who sees the replay does that.
    ///
    /// - Returns: how many sessions ended with it.
    func endKeys(
        of id: SessionID,
        _ request: CommandRequest,
        _ unread: inout UnreadableStreams
    ) async throws(StoreError) -> Int {
        let grant =
            try await commands.store
            .loadCurrent(OfflineGrant.self, id.stream, by: request.deadline)
            .seen(from: request.project.number)
        guard case .revoked(let session, .codeReplay) = grant.state else { return 0 }
        return try await endKeys(setUpIn: id, session.opening, request, &unread)
    }

    /// Ends the biometric keys that rest on a session, and the sessions that they opened.
    ///
    /// - Returns: how many sessions ended with it.
    func endKeys(
        setUpIn id: SessionID,
        _ opening: OfflineGrant.Opening,
        _ request: CommandRequest,
        _ unread: inout UnreadableStreams
    ) async throws(StoreError) -> Int {
        // What is written is so for every node: not by settings that are behind their document.
        let project = try await commands.newest(request.project, by: request.deadline)
        let keys = SetUpKeys(commands.store, in: project, by: request.deadline)
        var ended: [SessionID] = []
        var isNews = true
        for _ in 0..<Self.walksMax where isNews {
            let found = try await keys.resting(on: id, opening, alsoOver: false, &unread)
            isNews = false
            for key in found {
                do throws(StoreError) {
                    guard let opened = try await end(key, of: opening.subject, request) else {
                        continue
                    }
                    isNews = true
                    if let session = opened { ended.append(session) }
                } catch {
                    // Whatever it is, the next key is not to wait for it.
                    if case .corrupt = error {
                        try unread.note(error)
                    } else {
                        unread.isWaiting = true
                    }
                }
            }
        }
        // Somebody sets keys up as fast as they end.
        if isNews { unread.isWaiting = true }
        // What these sessions let in refuses already.
        var count = ended.count
        for session in ended { count += try await cascade(from: session, request, &unread) }
        return count
    }

    /// Nil for a key that was ended before; else the session that ended with it, if there was one.
    private func end(_ key: StreamID, of subject: SubjectID, _ request: CommandRequest)
        async throws(StoreError) -> SessionID??
    {
        let removed = try await commands.runUnrefused(request.ending, on: key) {
            (work: inout Work) async throws(StoreError) in
            try await work.removeBiometricKey(key, of: subject, .codeReplay)
        }
        guard let removed, removed.isNow else { return nil }
        return .some(removed.key.session)
    }
}

/// Which biometric keys of a user rest on a session: those that were set up in it, in a session
/// that such a key has opened, or in one that those have let in and whose end is theirs.
struct SetUpKeys {
    private let store: any EventStore
    private let project: Project
    private let deadline: Deadline

    init(_ store: any EventStore, in project: Project, by deadline: Deadline) {
        self.store = store
        self.project = project
        self.deadline = deadline
    }

    /// The newest first; `alsoOver`: those that are disabled, too.
    ///
    /// Of keys that were set up since the session was opened, by the clocks of nodes that differ by
    /// seconds: a user sets up few a day (`BiometricKeys.perDayMax`).
    func resting(
        on id: SessionID,
        _ opening: OfflineGrant.Opening,
        alsoOver: Bool,
        _ unread: inout UnreadableStreams
    ) async throws(StoreError) -> [StreamID] {
        let oldest = opening.openedAt.adding(seconds: -10)
        var found: [StreamID] = []
        try await store.eachStream(of: opening.subject, [.biometricKey], by: deadline) {
            (opened: OpenedStream) async throws(StoreError) in
            guard alsoOver || !opened.isOver else { return true }
            do throws(StoreError) {
                let key = try await store.loadCurrent(
                    BiometricKey.self,
                    opened.stream,
                    by: deadline
                )
                // Or it is the stream of a key's material.
                guard let registration = key.state.registration else { return true }
                guard registration.enabledAt >= oldest else { return false }
                if try await rests(opened.stream, on: id, since: oldest, &unread) {
                    found.append(opened.stream)
                }
            } catch { try unread.note(error) }
            return true
        }
        return found
    }

    /// Goes up from the session that set the key up, to what let that one in, and so on: back in
    /// time, as far as `oldest`.
    private func rests(
        _ key: StreamID,
        on id: SessionID,
        since oldest: Instant,
        _ unread: inout UnreadableStreams
    ) async throws(StoreError) -> Bool {
        var next = try await sessionThatSetUp(key)
        while let session = next {
            if session == id { return true }
            let grant = try await store.load(OfflineGrant.self, session.stream, by: deadline)
            guard let opening = grant.state.session?.opening, opening.openedAt >= oldest else {
                return false
            }
            if let owner = opening.owner {
                guard try await cascades(owner, &unread) else { return false }
                next = owner
            } else if opening.parent.kind == .biometricKey {
                next = try await sessionThatSetUp(opening.parent.stream)
            } else {
                return false
            }
        }
        return false
    }

    /// Whether an owner's end is the end of those it let in; where nobody can say so now, something
    /// waits.
    private func cascades(_ owner: SessionID, _ unread: inout UnreadableStreams)
        async throws(StoreError) -> Bool
    {
        let grant = try await store.load(OfflineGrant.self, owner.stream, by: deadline)
        guard let opening = grant.state.session?.opening else { return false }
        guard !project.mayHaveStopped(cascading: opening),
            let cascades = project.cascades(from: grant.state)
        else {
            unread.isWaiting = true
            return false
        }
        return cascades
    }

    /// As its first event says.
    private func sessionThatSetUp(_ key: StreamID) async throws(StoreError) -> SessionID? {
        try await store.history(of: key, after: 0, by: deadline).first?.session
    }
}
