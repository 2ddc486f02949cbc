internal import Domain

// A biometric key outlives the session that set it up, but not the discovery that this session was
// a thief's (decision 0188).
extension SessionEnding {
    /// Ends the biometric keys that a session has set up whose code came again, and what they have
    /// opened; none for a session that lives, or ended otherwise.
    ///
    /// - Returns: how many keys this ended.
    @discardableResult
    func endKeys(of id: SessionID, request: CommandRequest) async throws(StoreError) -> Int {
        let store = commands.store
        let grant =
            try await store
            .loadCurrent(OfflineGrant.self, id.stream, by: request.deadline)
            .seen(from: request.project.number)
        guard case .revoked(let session, .codeReplay) = grant.state else { return 0 }
        let subject = session.opening.subject
        let keys = try await store.biometricKeys(
            setUpIn: id,
            of: subject,
            since: session.opening.openedAt,
            by: request.deadline
        )
        guard !keys.isEmpty else { return 0 }
        let caused = try await commands.request(request, causedBy: OfflineGrant.self, id.stream) {
            if case .revoked = $0 { true } else { false }
        }
        var count = 0
        for key in keys {
            let removed = try await commands.runUnrefused(caused.ending, on: key) {
                (work: inout Work) async throws(StoreError) in
                try await work.removeBiometricKey(key, of: subject, .codeReplay)
            }
            if removed?.isNow == true { count += 1 }
            if let opened = removed?.key.session {
                try await cascade(from: opened, request: request)
            }
        }
        return count
    }
}

extension EventStore {
    /// Of the user's newest biometric keys, as many as a day has, those that a session set up: its
    /// own stream does not tell.
    ///
    /// `time`: none is older, by the clocks of nodes that differ by seconds.
    func biometricKeys(
        setUpIn session: SessionID,
        of subject: SubjectID,
        since time: Instant,
        by deadline: Deadline
    ) async throws(StoreError) -> [StreamID] {
        let streams = try await streams(
            of: subject,
            kinds: [.biometricKey],
            limit: BiometricKeys.perDayMax,
            by: deadline
        )
        let keys = try await states(BiometricKey.self, of: streams, by: deadline)
        var found: [StreamID] = []
        let oldest = time.adding(seconds: -10)
        for stream in streams {
            guard let key = keys[stream]?.registration, key.enabledAt >= oldest else { continue }
            let history = try await history(of: stream, after: 0, by: deadline)
            if history.first?.session == session { found.append(stream) }
        }
        return found
    }
}
