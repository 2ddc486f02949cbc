package import Domain
internal import OAuth

/// Records the end of sessions that a guard refuses already (Architecture 8.8).
package struct SessionEnding: Sendable {
    /// Sessions gone through per cascade.
    package static let sessionsMax = 1000

    let commands: CommandRunner

    package init(commands: CommandRunner) { self.commands = commands }

    /// Ends a session, of whichever kind it is, and what its end ends.
    func end(
        _ entry: SessionList.Entry,
        grant: RevocationReason,
        browserSession: BrowserSession.EndReason,
        request: CommandRequest
    ) async throws(StoreError) {
        switch entry.kind {
        case .offlineGrant: try await revoke(entry.session, grant, request: request)
        case .browser: try await endBrowser(entry.session, browserSession, request: request)
        }
    }

    /// Ends one app's session and what its end ends; one that has ended or never was is left alone.
    ///
    /// - Returns: how many sessions this ended.
    @discardableResult
    package func revoke(_ id: SessionID, _ reason: RevocationReason, request: CommandRequest)
        async throws(StoreError) -> Int
    {
        let own = try await revokeAlone(id, reason, request: request) ? 1 : 0
        // What this leaves out is followed (decision 0098).
        return own + ((try? await cascade(from: id, request: request)) ?? 0)
    }

    /// Ends a browser's session, then the apps' sessions that joined it, and what their end ends.
    ///
    /// One that has ended already is gone through again: who repeats a request finishes its work.
    package func endBrowser(
        _ id: SessionID,
        _ reason: BrowserSession.EndReason,
        request: CommandRequest
    ) async throws(StoreError) {
        let ended = try await commands.runUnrefused(request.ending, on: id.stream) {
            (work: inout Work) async throws(StoreError) in
            try await work.endBrowser(id, reason)
        }
        _ = try? await revokeJoined(ended, of: id, reason, request: request)
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
        return try await revokeJoined(session.value, of: id, reason, request: request)
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
        var unread = UnreadableStreams()
        func end(_ member: BrowserSession.Joined) async throws(StoreError) {
            do throws(StoreError) {
                if try await revokeAlone(member.grant, cause, request: request) { count += 1 }
            } catch { try unread.note(error) }
            count += try await cascade(from: member.grant, request, &unread)
        }
        if session.joined.count < BrowserSession.joinedMax {
            for member in session.joined { try await end(member) }
        } else {
            // The state keeps no more of them; the log does.
            try await commands.store.eachEvent(of: id.stream, by: request.deadline) {
                (event: RecordedEvent) async throws(StoreError) in
                if case .browserSession(.clientJoined(let member)) = event.body {
                    try await end(member)
                }
                return true
            }
        }
        try unread.report()
        return count
    }

    /// `closed`: a user who must still be disabled or erased; otherwise nothing is ended.
    ///
    /// - Returns: whether this ended it; false when it was not open.
    func revokeAlone(
        _ id: SessionID,
        _ reason: RevocationReason,
        of closed: SubjectID? = nil,
        request: CommandRequest
    ) async throws(StoreError) -> Bool {
        try await run(OfflineGrant.self, .revoke(reason), on: id, of: closed, request) { state in
            state.openSession?.opening.subject
        }
    }

    /// Ends a client's part of an app's session, as long as that is open.
    func leave(
        _ id: SessionID,
        _ client: ClientID,
        _ reason: OfflineGrant.LeaveReason,
        request: CommandRequest
    ) async throws(StoreError) {
        var request = request
        request.attributes.client = client
        _ = try await run(OfflineGrant.self, .share(.leave(client, reason)), on: id, request) {
            $0.session?.opening.subject
        }
    }

    /// As `revokeAlone`, of a browser's session.
    func endAlone(
        _ id: SessionID,
        _ reason: BrowserSession.EndReason,
        of closed: SubjectID? = nil,
        request: CommandRequest
    ) async throws(StoreError) -> Bool {
        try await run(BrowserSession.self, .end(reason), on: id, of: closed, request) { state in
            guard case .open(let session) = state else { return nil }
            return session.value.subject
        }
    }

    /// `open`: whose it is, as long as it is open.
    private func run<A: Aggregate>(
        _ aggregate: A.Type,
        _ command: A.Command,
        on id: SessionID,
        of closed: SubjectID? = nil,
        _ request: CommandRequest,
        open: (A.State) -> SubjectID?
    ) async throws(StoreError) -> Bool {
        try await commands.runUnrefused(request.ending, on: id.stream) {
            (work: inout Work) async throws(StoreError) in
            if let closed, try await !work.requireClosed(closed) { return false }
            var loaded = try await work.load(aggregate, id.stream)
            // What has ended meanwhile needs no end.
            guard let subject = open(loaded.state) else { return false }
            work.attributes.subject = subject
            work.attributes.session = id
            _ = try? work.decide(command, on: &loaded)
            return true
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
        // A session that exists refuses no end.
        _ = try? decide(.end(reason), on: &browser)
        return session
    }
}

extension Work {
    /// Whether a user is disabled or erased; guards that.
    fileprivate mutating func requireClosed(_ subject: SubjectID) async throws(StoreError) -> Bool {
        let owner = try await load(Subject.self, subject.stream)
        require(owner)
        switch owner.state {
        case .disabled, .erased: return true
        case .absent, .active: return false
        }
    }
}

extension RevocationReason {
    /// The reason for which the sessions that came from a browser's session end.
    fileprivate init(_ reason: BrowserSession.EndReason) {
        switch reason {
        case .logout, .idle: self = .logout
        case .revoked: self = .operator
        case .subjectDisabled: self = .subjectDisabled
        case .erasure: self = .erasure
        case .superseded: self = .superseded
        }
    }
}

extension CommandRunner {
    /// What follows from the end of a session, as far as it can be done now.
    ///
    /// The end is committed, and so is the caller's answer: what this leaves out is followed
    /// (decision 0098).
    /// `state`: what the command that ended it has made of it, where that is at hand.
    func cascade(
        from session: SessionID,
        being state: OfflineGrant.State? = nil,
        _ request: CommandRequest
    ) async {
        let ending = SessionEnding(commands: self)
        _ = try? await ending.cascade(from: session, being: state, request: request)
    }
}
