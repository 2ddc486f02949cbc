internal import Domain

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
