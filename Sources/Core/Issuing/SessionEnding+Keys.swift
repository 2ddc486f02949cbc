internal import Domain

// A biometric key outlives the session that set it up, but not the discovery that this session was
// a thief's (decision 0188).
extension SessionEnding {
    /// Ends what a session has set up whose code came again, where that ended it; nothing of one
    /// that lives, or ended otherwise: who sees the replay does that.
    ///
    /// - Returns: how many sessions ended with it.
    func endKeys(of id: SessionID, request: CommandRequest) async throws(StoreError) -> Int {
        let grant =
            try await commands.store
            .loadCurrent(OfflineGrant.self, id.stream, by: request.deadline)
            .seen(from: request.project.number)
        guard case .revoked(let session, .codeReplay) = grant.state else { return 0 }
        let opening = session.opening
        return try await endKeys(
            setUpIn: id,
            of: opening.subject,
            since: opening.openedAt,
            request: request
        )
    }

    /// Ends the biometric keys of a user that a session has set up, or one that such a key opened,
    /// and the sessions that they opened.
    ///
    /// - Returns: how many sessions ended with it.
    /// - Throws: when some of it is left; who asks again finishes it.
    @discardableResult
    func endKeys(
        setUpIn id: SessionID,
        of subject: SubjectID,
        since time: Instant,
        request: CommandRequest
    ) async throws(StoreError) -> Int {
        var unread = UnreadableStreams()
        var left = try await commands.store.biometricKeys(
            of: subject,
            since: time,
            by: request.deadline,
            &unread
        )
        guard !left.isEmpty else {
            try unread.report()
            return 0
        }
        let caused = try await commands.request(request, causedBy: OfflineGrant.self, id.stream) {
            if case .revoked = $0 { true } else { false }
        }
        var sessions: Set = [id]
        var ended: [SessionID] = []
        var count = 0
        while let index = left.firstIndex(where: { sessions.contains($0.session) }) {
            let key = left.remove(at: index)
            sessions.formUnion(key.opened)
            do throws(StoreError) {
                let removed = try await commands.runUnrefused(caused.ending, on: key.stream) {
                    (work: inout Work) async throws(StoreError) in
                    try await work.removeBiometricKey(key.stream, of: subject, .codeReplay)
                }
                guard let removed, let opened = removed.key.session else { continue }
                ended.append(opened)
                if removed.isNow { count += 1 }
            } catch { try unread.note(error) }
        }
        // All keys are ended first: what the sessions let in refuses already.
        for session in ended { count += try await cascade(from: session, request, &unread) }
        try unread.report()
        return count
    }
}

/// A biometric key, the session that set it up, and those that it opened.
struct SetUpKey {
    var stream: StreamID
    var session: SessionID
    var at: Instant
    var opened: [SessionID] = []
}

extension EventStore {
    /// The user's keys that were set up since `time`, by the clocks of nodes that differ by
    /// seconds: the streams of sessions tell nothing of keys.
    func biometricKeys(
        of subject: SubjectID,
        since time: Instant,
        by deadline: Deadline,
        _ unread: inout UnreadableStreams
    ) async throws(StoreError) -> [SetUpKey] {
        let oldest = time.adding(seconds: -10)
        var keys: [SetUpKey] = []
        // The newest first: a user's keys are few a day (`BiometricKeys.perDayMax`).
        try await eachStream(of: subject, [.biometricKey], by: deadline) {
            (opened: OpenedStream) async throws(StoreError) in
            do throws(StoreError) {
                let key = try await setUpKey(opened.stream, by: deadline)
                guard let key else { return true }
                guard key.at >= oldest else { return false }
                keys.append(key)
            } catch { try unread.note(error) }
            return true
        }
        return keys
    }

    /// Nil for a stream that is of a key's material.
    private func setUpKey(_ stream: StreamID, by deadline: Deadline)
        async throws(StoreError) -> SetUpKey?
    {
        var found: SetUpKey?
        try await eachEvent(of: stream, by: deadline) {
            (event: RecordedEvent) async throws(StoreError) in
            switch event.body {
            case .biometricKey(.enabled(let registration)):
                guard let session = event.session else { return false }
                found = SetUpKey(stream: stream, session: session, at: registration.enabledAt)
            case .biometricKey(.used(_, let session, _)):
                found?.opened.append(session)
            default: break
            }
            // A key that has logged in more often has done so for weeks.
            return (found?.opened.count ?? 0) < SessionEnding.sessionsMax
        }
        return found
    }
}
