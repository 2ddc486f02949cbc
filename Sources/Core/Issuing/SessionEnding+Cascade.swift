package import Domain

extension SessionEnding {
    /// Ends what an ended session had let in, and what that had, where their clients say so.
    ///
    /// All of it refuses already, from the commit that ended the first; this tells the others.
    ///
    /// - Returns: how many sessions this ended.
    @discardableResult
    package func cascade(from owner: SessionID, request: CommandRequest)
        async throws(StoreError) -> Int
    {
        var unread = UnreadableStreams()
        let count = try await cascade(from: owner, request, &unread)
        try unread.report()
        return count
    }

    /// As part of a walk over more than one, which goes on whatever is wrong with this one.
    func cascade(
        from owner: SessionID,
        _ request: CommandRequest,
        _ unread: inout UnreadableStreams
    ) async throws(StoreError) -> Int {
        var pending = [owner]
        var known: Set = [owner]
        var count = 0
        while let id = pending.popLast(), known.count <= Self.sessionsMax {
            var targets: [SessionID] = []
            do throws(StoreError) { targets = try await letIn(by: id, request, &unread) } catch {
                try unread.note(error)
            }
            guard !targets.isEmpty else { continue }
            let caused = try await commands.request(
                request,
                causedBy: OfflineGrant.self,
                id.stream
            ) { if case .revoked = $0 { true } else { false } }
            for target in targets where known.insert(target).inserted {
                do throws(StoreError) {
                    if try await revokeAlone(target, .cascade, request: caused) { count += 1 }
                    pending.append(target)
                } catch { try unread.note(error) }
            }
        }
        return count
    }

    private func letIn(
        by owner: SessionID,
        _ request: CommandRequest,
        _ unread: inout UnreadableStreams
    ) async throws(StoreError) -> [SessionID] {
        let store = commands.store
        guard request.project.mayCascade else { return [] }
        let project = try await commands.newest(request.project, by: request.deadline)
        // Current: a node that follows another's end may know the session as it was before.
        let grant =
            try await store
            .loadCurrent(OfflineGrant.self, owner.stream, by: request.deadline)
            .seen(from: project.number)
        guard case .revoked(let session, _) = grant.state else { return [] }
        // What is written is so for every node: not by settings that are behind their document.
        let isKnown = !project.mayHaveStopped(cascading: session.opening)
        guard !isKnown || project.cascades(from: grant.state) ?? true else { return [] }
        var sessions: [SessionID] = []
        try await store.eachEvent(of: owner.stream, by: request.deadline) {
            (event: RecordedEvent) async throws(StoreError) in
            guard case .offlineGrant(.app2appApproved(let approval)) = event.body else {
                return true
            }
            do throws(StoreError) {
                let code = try await store.loadCurrent(
                    AuthorizationCode.self,
                    approval.code,
                    by: request.deadline
                )
                if let grant = code.state.redemption?.grant { sessions.append(grant) }
            } catch { try unread.note(error) }
            return true
        }
        if isKnown { return sessions }
        // An end that waits is followed later (decision 0098); one that is passed over never is.
        if !sessions.isEmpty { unread.isWaiting = true }
        return []
    }
}

extension AuthorizationCode.State {
    /// What became of a code that was redeemed; nil for one that was not.
    fileprivate var redemption: AuthorizationCode.Redemption? {
        switch self {
        case .absent, .issued: nil
        case .redeemed(_, let redemption), .replayed(_, let redemption): redemption
        }
    }
}
