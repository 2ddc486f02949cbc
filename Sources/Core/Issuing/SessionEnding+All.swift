package import Domain

extension SessionEnding {
    /// Ends every open session of a subject but those kept, one command each.
    ///
    /// Browsers' sessions first: once one has ended, all that joined it refuses. An app's session
    /// that has expired, with every code it gave, is passed over: nothing is left to end. Repeated
    /// until none is left: a session that another let in just before its own end is newer than all
    /// that were gone through, and the next pass finds it.
    ///
    /// - Returns: how many of them were live.
    @discardableResult
    package func endAll(
        of subject: SubjectID,
        but kept: Set<SessionID> = [],
        grants: RevocationReason,
        browserSessions: BrowserSession.EndReason,
        request: CommandRequest
    ) async throws(StoreError) -> Int {
        var unread = UnreadableStreams()
        let count = try await endAll(
            of: subject,
            but: kept,
            (grants, browserSessions),
            request,
            &unread
        )
        try unread.report()
        return count
    }

    /// As above, for those whose own work goes on whatever is wrong with a session.
    func endAll(
        of subject: SubjectID,
        but kept: Set<SessionID> = [],
        _ reasons: (grant: RevocationReason, browserSession: BrowserSession.EndReason),
        _ request: CommandRequest,
        _ unread: inout UnreadableStreams
    ) async throws(StoreError) -> Int {
        let request = try await commands.request(request, causedBy: Subject.self, subject.stream) {
            switch $0 {
            case .disabled, .erased: true
            case .absent, .active: false
            }
        }
        // One who is enabled while this goes on may have sessions again, which are none of these.
        let isClosed = reasons.grant == .subjectDisabled || reasons.grant == .erasure
        let closed = isClosed ? subject : nil
        // They may end because of what became of their user, who counts as active here.
        var foundations = Foundations(
            in: request.project,
            commands,
            by: request.deadline,
            taking: subject
        )
        var passed = kept
        var liveCount = 0
        var isDone: Bool
        repeat {
            isDone = true
            for kind in [AggregateKind.browserSession, .offlineGrant] {
                try await commands.store.eachPage(
                    of: subject,
                    [kind],
                    by: request.deadline
                ) { (page: [OpenedStream]) async throws(StoreError) in
                    let open = page.filter {
                        !$0.isOver && !passed.contains(SessionID($0.stream))
                    }
                    let found = try await list.entries(open, &foundations, by: request.deadline)
                    for (opened, entry) in found {
                        let id = SessionID(opened.stream)
                        guard !isPast(entry, request) else {
                            passed.insert(id)
                            continue
                        }
                        do throws(StoreError) {
                            guard try await end(id, kind, reasons, of: closed, request) else {
                                continue
                            }
                            isDone = false
                            if entry?.status ?? .live == .live { liveCount += 1 }
                        } catch { try unread.note(error) }
                    }
                    return true
                }
            }
        } while !isDone
        // Those that were over were passed over.
        try await commands.confirm(by: request.deadline)
        return liveCount
    }

    private var list: SessionList { SessionList(commands) }

    private func end(
        _ id: SessionID,
        _ kind: AggregateKind,
        _ reasons: (grant: RevocationReason, browserSession: BrowserSession.EndReason),
        of closed: SubjectID?,
        _ request: CommandRequest
    ) async throws(StoreError) -> Bool {
        kind == .offlineGrant
            ? try await revokeAlone(id, reasons.grant, of: closed, request: request)
            : try await endAlone(id, reasons.browserSession, of: closed, request: request)
    }

    /// Whether neither a token of an app's session is good for anything any more, nor a code that
    /// it gave.
    private func isPast(_ entry: SessionList.Entry?, _ request: CommandRequest) -> Bool {
        guard let entry, entry.status == .expired, let grant = entry.grant else { return false }
        let idle = grant.opening.idleMilliseconds
        let end =
            idle == 0
            ? entry.expiresAt : min(entry.expiresAt, entry.lastUsedAt.adding(milliseconds: idle))
        // An access token of a session's last moment outlives its idle end, and is good where
        // nobody asks.
        let longest = max(
            request.project.settings.codeLifetimeSeconds,
            OfflineGrant.accessTokenSecondsMax
        )
        return end.adding(seconds: longest) < commands.clock.now
    }
}
