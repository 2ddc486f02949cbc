package import Domain
internal import OAuth

/// Records the end of sessions that a guard refuses already (architecture.md section 8.8).
package struct SessionEnding: Sendable {
    /// Sessions gone through per cascade.
    package static let sessionsMax = 1000

    private let commands: CommandRunner

    package init(commands: CommandRunner) { self.commands = commands }

    /// Ends every open session of a subject but those kept, one command each.
    ///
    /// Again, until there was none left: what a session has let in just before its end, newer than
    /// all that were gone through, is found by the next pass.
    ///
    /// - Returns: how many of them were live; an expired one is ended, too, but not counted.
    @discardableResult
    package func endAll(
        of subject: SubjectID,
        but kept: Set<SessionID> = [],
        grants: RevocationReason,
        browserSessions: BrowserSession.EndReason,
        request: CommandRequest
    ) async throws(StoreError) -> Int {
        let request = try await commands.request(request, causedBy: Subject.self, subject.stream) {
            switch $0 {
            case .disabled, .erased: true
            case .absent, .active: false
            }
        }
        var liveCount = 0
        var isDone: Bool
        repeat {
            isDone = true
            try await commands.store.eachStream(
                of: subject,
                SessionList.kinds,
                by: request.deadline
            ) { (opened: OpenedStream) async throws(StoreError) in
                let id = SessionID(opened.stream)
                guard !opened.isOver, !kept.contains(id) else { return true }
                let now = commands.clock.now
                let wasLive =
                    opened.kind == .offlineGrant
                    ? try await revokeAlone(id, grants, request: request)?.isLive(at: now)
                    : try await endAlone(id, browserSessions, request: request)?.isLive(at: now)
                guard let wasLive else { return true }
                isDone = false
                if wasLive { liveCount += 1 }
                return true
            }
        } while !isDone
        return liveCount
    }

    /// Ends one app's session and what its end ends; one that has ended or never was is left alone.
    ///
    /// - Returns: how many sessions this ended.
    @discardableResult
    package func revoke(_ id: SessionID, _ reason: RevocationReason, request: CommandRequest)
        async throws(StoreError) -> Int
    {
        let own = try await revokeAlone(id, reason, request: request) == nil ? 0 : 1
        return own + (try await cascade(from: id, request: request))
    }

    /// Ends a browser's session, then the apps' sessions that joined it, and what their end ends.
    ///
    /// One that has ended already is gone through again: who repeats a request finishes its work.
    package func endBrowser(
        _ id: SessionID,
        _ reason: BrowserSession.EndReason,
        request: CommandRequest
    ) async throws(StoreError) {
        let ended: BrowserSession.Session?
        do throws(CommandError<Never>) {
            ended = try await commands.run(request.ending, on: id.stream) {
                (work: inout Work) async throws(CommandError<Never>) in
                do throws(StoreError) { return try await work.endBrowser(id, reason) } catch {
                    throw .store(error)
                }
            }
        } catch {
            switch error {
            case .store(let why): throw why
            }
        }
        try await revokeJoined(ended, of: id, reason, request: request)
    }

    /// Ends what joined a browser's session that has ended.
    ///
    /// - Returns: how many sessions this ended.
    func finishBrowser(_ id: SessionID, request: CommandRequest) async throws(StoreError) -> Int {
        let browser = try await commands.store.loadCurrent(
            BrowserSession.self,
            id.stream,
            by: request.deadline
        )
        guard case .ended(let session, let reason) = browser.state else { return 0 }
        return try await revokeJoined(session, of: id, reason, request: request)
    }

    /// The second half of `endBrowser`: `session` is what the first, `Work.endBrowser`, ended.
    ///
    /// - Returns: how many sessions this ended.
    @discardableResult
    func revokeJoined(
        _ session: BrowserSession.Session?,
        of id: SessionID,
        _ reason: BrowserSession.EndReason,
        request: CommandRequest
    ) async throws(StoreError) -> Int {
        guard let session else { return 0 }
        let cause = RevocationReason(reason)
        let request = try await commands.request(
            request,
            causedBy: BrowserSession.self,
            id.stream
        ) { if case .ended = $0 { true } else { false } }
        var count = 0
        guard session.joined.count == BrowserSession.joinedMax else {
            for member in session.joined {
                count += try await revoke(member.grant, cause, request: request)
            }
            return count
        }
        // It keeps no more in mind; the log does.
        try await commands.store.eachEvent(of: id.stream, by: request.deadline) {
            (event: RecordedEvent) async throws(StoreError) in
            if case .browserSession(.clientJoined(let member)) = event.body {
                count += try await revoke(member.grant, cause, request: request)
            }
            return true
        }
        return count
    }

    /// Ends what an ended session had let in, and what that had, where their clients say so.
    ///
    /// All of it refuses already, from the commit that ended the first; this tells the others.
    ///
    /// - Returns: how many sessions this ended.
    @discardableResult
    package func cascade(from owner: SessionID, request: CommandRequest)
        async throws(StoreError) -> Int
    {
        var pending = [owner]
        var known: Set = [owner]
        var count = 0
        while let id = pending.popLast(), known.count <= Self.sessionsMax {
            let targets = try await letIn(by: id, request)
            guard !targets.isEmpty else { continue }
            let caused = try await commands.request(
                request,
                causedBy: OfflineGrant.self,
                id.stream
            ) { if case .revoked = $0 { true } else { false } }
            for target in targets where known.insert(target).inserted {
                let ended = try await revokeAlone(target, .cascade, request: caused)
                if ended != nil { count += 1 }
                pending.append(target)
            }
        }
        return count
    }

    private func letIn(by owner: SessionID, _ request: CommandRequest)
        async throws(StoreError) -> [SessionID]
    {
        let store = commands.store
        guard request.project.settings.hasCascades else { return [] }
        let grant = try await store.load(OfflineGrant.self, owner.stream, by: request.deadline)
            .seen(from: request.project.number)
        guard case .revoked = grant.state, request.project.settings.cascades(from: grant.state)
        else { return [] }
        var sessions: [SessionID] = []
        try await store.eachEvent(of: owner.stream, by: request.deadline) {
            (event: RecordedEvent) async throws(StoreError) in
            guard case .offlineGrant(.app2appApproved(let approval)) = event.body else {
                return true
            }
            let code = try await store.loadCurrent(
                AuthorizationCode.self,
                approval.code,
                by: request.deadline
            )
            if let grant = code.state.redemption?.grant { sessions.append(grant) }
            return true
        }
        return sessions
    }

    /// - Returns: what this ended; nil when nothing was open.
    @discardableResult
    private func revokeAlone(
        _ id: SessionID,
        _ reason: RevocationReason,
        request: CommandRequest
    ) async throws(StoreError) -> OfflineGrant.Session? {
        try await run(OfflineGrant.self, .revoke(reason), on: id, request) { state in
            guard case .open(let session) = state else { return nil }
            return (session, session.opening.subject)
        }
    }

    /// As above, of a browser's.
    private func endAlone(
        _ id: SessionID,
        _ reason: BrowserSession.EndReason,
        request: CommandRequest
    ) async throws(StoreError) -> BrowserSession.Session? {
        try await run(BrowserSession.self, .end(reason), on: id, request) { state in
            guard case .open(let session) = state else { return nil }
            return (session, session.subject)
        }
    }

    private func run<A: Aggregate, Session>(
        _ aggregate: A.Type,
        _ command: A.Command,
        on id: SessionID,
        _ request: CommandRequest,
        open: (A.State) -> (session: Session, subject: SubjectID)?
    ) async throws(StoreError) -> Session? {
        do throws(CommandError<Never>) {
            return try await commands.run(request.ending, on: id.stream) {
                (work: inout Work) async throws(CommandError<Never>) in
                var loaded: Loaded<A>
                do throws(StoreError) { loaded = try await work.load(aggregate, id.stream) } catch {
                    throw .store(error)
                }
                // What has ended meanwhile needs no end.
                guard let found = open(loaded.state) else { return nil }
                work.attributes.subject = found.subject
                work.attributes.session = id
                _ = try? work.decide(command, on: &loaded)
                return found.session
            }
        } catch {
            switch error {
            case .store(let why): throw why
            }
        }
    }
}

extension Work {
    /// Ends a browser's session; one that has ended already stays as it is.
    ///
    /// - Returns: what it was, with all that joined it until this command; nil when there is none.
    mutating func endBrowser(_ id: SessionID, _ reason: BrowserSession.EndReason)
        async throws(StoreError) -> BrowserSession.Session?
    {
        var browser = try await load(BrowserSession.self, id.stream)
        guard let session = browser.state.session else { return nil }
        attributes.subject = session.subject
        attributes.session = id
        // Of one that there is, no end is refused.
        _ = try? decide(.end(reason), on: &browser)
        return session
    }
}

extension RevocationReason {
    /// Why the sessions end that came from a browser's session.
    fileprivate init(_ reason: BrowserSession.EndReason) {
        switch reason {
        case .logout, .revoked, .idle: self = .logout
        case .subjectDisabled: self = .subjectDisabled
        case .erasure: self = .erasure
        case .superseded: self = .superseded
        }
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

extension CommandRunner {
    /// What follows from the end of a session that a request of `caller` found reused.
    func cascade(from session: SessionID, _ caller: Caller) async throws(OAuthError) {
        do {
            try await SessionEnding(commands: self).cascade(from: session, request: caller.request)
        } catch { throw OAuthError(error) }
    }
}
