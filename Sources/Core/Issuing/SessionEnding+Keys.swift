internal import Domain

// A biometric key outlives the session that set it up, but not the discovery that this session was
// a thief's (decision 0188).
extension SessionEnding {
    /// A key that is set up while others are ended is found by another walk.
    private static let walksMax = 4

    /// Ends the keys that a session has set up, if a replay of its code ended it; nothing of one
    /// that lives, or ended otherwise: who sees the replay does that.
    ///
    /// - Returns: how many sessions ended with it.
    func endKeys(
        of id: SessionID,
        being grant: OfflineGrant.State,
        _ request: CommandRequest,
        _ unread: inout UnreadableStreams
    ) async throws(StoreError) -> Int {
        guard case .revoked(let shared, .codeReplay) = grant else { return 0 }
        return try await endKeys(setUpIn: id, shared.opening, request, &unread)
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
        // What is recorded holds for every node: no settings behind their document may decide it.
        let project = try await commands.newest(request.project, by: request.deadline)
        let keys = SetUpKeys(commands.store, in: project, by: request.deadline)
        var ended: [SessionID] = []
        var isNews = true
        for _ in 0..<Self.walksMax where isNews {
            let found = try await keys.resting(on: id, opening, alsoOver: false, &unread)
            isNews = false
            for key in found {
                do throws(StoreError) {
                    let subject = opening.subject
                    guard let key = try await end(key, of: subject, because: id, request)
                    else { continue }
                    isNews = true
                    if let session = key.session { ended.append(session) }
                } catch {
                    // Whatever the error is, the next key must not wait for it.
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

    /// The key and the session that it opened, as one of these ends; nil for one that had ended.
    private func end(
        _ key: StreamID,
        of subject: SubjectID,
        because id: SessionID,
        _ request: CommandRequest
    ) async throws(StoreError) -> BiometricKey.Registration? {
        let caused = try await commands.request(request, causedBy: OfflineGrant.self, id.stream) {
            if case .revoked = $0 { true } else { false }
        }
        let removed = try await commands.runUnrefused(caused.ending, on: key) {
            (work: inout Work) async throws(StoreError) in
            try await work.removeBiometricKey(key, of: subject, .codeReplay)
        }
        return removed.flatMap { $0.isNow ? $0.key : nil }
    }
}
