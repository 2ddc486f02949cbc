package import Domain

extension SessionEnding {
    /// Ends what an ended session had let in, and what that had, where their clients say so.
    ///
    /// All of it refuses already, from the commit that ended the first; this tells the others.
    ///
    /// - Returns: how many sessions this ended.
    @discardableResult
    package func cascade(
        from owner: SessionID,
        being state: OfflineGrant.State? = nil,
        request: CommandRequest
    ) async throws(StoreError) -> Int {
        var reached: Int32 = 0
        var unread = UnreadableStreams()
        let count =
            try await cascade(from: owner, being: state, after: &reached, request, &unread)
        try unread.report()
        return count
    }

    /// As part of a walk over more than one, which goes on whatever is wrong with this one.
    func cascade(
        from owner: SessionID,
        _ request: CommandRequest,
        _ unread: inout UnreadableStreams
    ) async throws(StoreError) -> Int {
        var reached: Int32 = 0
        return try await cascade(from: owner, after: &reached, request, &unread)
    }

    /// As above, for what the owner let in after a version of its stream.
    ///
    /// `reached`: that version; then, also after an error, the one up to which all is ended, each
    /// recorded before the next is looked for, or the greatest there is. Whom those let in is not
    /// part of it: each of their ends is followed by itself (decision 0078). `state`: what the
    /// owner's stream says.
    func cascade(
        from owner: SessionID,
        being state: OfflineGrant.State? = nil,
        after reached: inout Int32,
        _ request: CommandRequest,
        _ unread: inout UnreadableStreams
    ) async throws(StoreError) -> Int {
        var walk = Walk(pending: [owner], known: [owner])
        while let id = walk.pending.popLast(), walk.known.count <= Self.sessionsMax {
            let isFirst = id == owner
            var version = isFirst ? reached : 0
            defer { if isFirst { reached = version } }
            do throws(StoreError) {
                guard let end = try await cascadingEnd(of: id, isFirst ? state : nil, request)
                else { continue }
                try await endLetIn(by: end, after: &version, request, &walk, &unread)
            } catch { try unread.note(error) }
        }
        return walk.count
    }

    /// A session that has ended, and perhaps ends with it whom it let in.
    private struct CascadingEnd {
        var session: SessionID
        /// Whether it does; false: nobody can say so now.
        var isKnown: Bool
        /// By which it let them in; nil: more than its state keeps.
        var codes: [StreamID]?
    }

    private struct Walk {
        /// Ended, and not gone through yet.
        var pending: [SessionID]
        var known: Set<SessionID>
        var count = 0
    }

    /// Nil: nobody ends with it.
    private func cascadingEnd(
        of owner: SessionID,
        _ state: OfflineGrant.State?,
        _ request: CommandRequest
    ) async throws(StoreError) -> CascadingEnd? {
        guard request.project.mayCascade else { return nil }
        let current: OfflineGrant.State
        if let state {
            current = state
        } else {
            // Current: a node that follows another's end may know the session as it was before.
            current =
                try await commands.store
                .loadCurrent(OfflineGrant.self, owner.stream, by: request.deadline)
                .seen(from: request.project.number).state
        }
        guard case .revoked(let shared, _) = current else { return nil }
        let codes = shared.value.approvedCodes
        if codes?.isEmpty == true { return nil }
        let project = try await commands.newest(request.project, by: request.deadline)
        // What is recorded holds for every node: no settings behind their document may decide it.
        let isKnown = !project.mayHaveStopped(cascading: shared.opening)
        guard !isKnown || project.cascades(from: current) ?? true else { return nil }
        return CascadingEnd(session: owner, isKnown: isKnown, codes: codes)
    }

    /// What was let in by the codes that the owner's state keeps, or else by those in its stream.
    private func endLetIn(
        by end: CascadingEnd,
        after version: inout Int32,
        _ request: CommandRequest,
        _ walk: inout Walk,
        _ unread: inout UnreadableStreams
    ) async throws(StoreError) {
        guard let codes = end.codes else {
            return try await endAllLetIn(by: end, after: &version, request, &walk, &unread)
        }
        // All or none: who has been through them before need not go on to whom those let in.
        guard version == 0 else { return }
        let isDone = try await endRedeemed(codes, by: end, request, &walk, &unread)
        if isDone, end.isKnown { version = .max }
    }

    /// In the order of the owner's stream, some at a time; nothing follows its end there, and from
    /// that on none of its codes is redeemed, so what is behind `version` need not be read again.
    private func endAllLetIn(
        by end: CascadingEnd,
        after version: inout Int32,
        _ request: CommandRequest,
        _ walk: inout Walk,
        _ unread: inout UnreadableStreams
    ) async throws(StoreError) {
        let (stream, store) = (end.session.stream, commands.store)
        let length = type(of: store).batchLength
        var next = version
        while true {
            let page = try await store.history(of: stream, after: next, by: request.deadline)
            guard let last = page.last?.version else { return }
            let approved = page.filter { $0.approvedCode != nil }
            for start in stride(from: 0, to: approved.count, by: length) {
                let batch = approved[start...].prefix(length)
                let codes = batch.compactMap(\.approvedCode)
                guard try await endRedeemed(codes, by: end, request, &walk, &unread) else { return }
                if end.isKnown { version = batch.last?.version ?? version }
            }
            next = last
            if end.isKnown { version = last }
        }
    }

    /// - Returns: false when nobody can say yet whether their end is the owner's.
    private func endRedeemed(
        _ codes: [StreamID],
        by end: CascadingEnd,
        _ request: CommandRequest,
        _ walk: inout Walk,
        _ unread: inout UnreadableStreams
    ) async throws(StoreError) -> Bool {
        let targets = try await redeemed(codes, request, &unread)
        guard end.isKnown || targets.isEmpty else {
            // An end that waits is followed later (decision 0098); one that is passed over never
            // is.
            unread.isWaiting = true
            return false
        }
        try await revoke(targets, because: end.session, request, &walk, &unread)
        return true
    }

    private func revoke(
        _ targets: [SessionID],
        because owner: SessionID,
        _ request: CommandRequest,
        _ walk: inout Walk,
        _ unread: inout UnreadableStreams
    ) async throws(StoreError) {
        guard !targets.isEmpty else { return }
        let caused = try await commands.request(
            request,
            causedBy: OfflineGrant.self,
            owner.stream
        ) { if case .revoked = $0 { true } else { false } }
        for target in targets where walk.known.insert(target).inserted {
            do throws(StoreError) {
                if try await revokeAlone(target, .cascade, request: caused) { walk.count += 1 }
                walk.pending.append(target)
            } catch { try unread.note(error) }
        }
    }

    /// The sessions that came of these codes; nothing of a code that cannot be read.
    private func redeemed(
        _ codes: [StreamID],
        _ request: CommandRequest,
        _ unread: inout UnreadableStreams
    ) async throws(StoreError) -> [SessionID] {
        let (states, unreadable) = try await commands.store.readableStates(
            AuthorizationCode.self,
            of: codes,
            by: request.deadline
        )
        for error in codes.compactMap({ unreadable[$0] }) { try unread.note(error) }
        return codes.compactMap { states[$0]?.redemption?.grant }
    }
}

extension RecordedEvent {
    /// The code that lets another app in; nil for any other event.
    fileprivate var approvedCode: StreamID? {
        guard case .offlineGrant(.app2appApproved(let approval)) = body else { return nil }
        return approval.code
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
