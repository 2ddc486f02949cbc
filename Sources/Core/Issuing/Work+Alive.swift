package import Domain
package import OAuth

extension Work {
    /// `load` with the error type of a use case.
    package mutating func loading<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID)
        async throws(CommandError<OAuthError>) -> Loaded<A>
    {
        // Nearly always remembered: then without two more calls that could wait.
        if let known = known(aggregate, stream) { return known }
        do { return try await load(aggregate, stream) } catch { throw .store(error) }
    }

    /// As above, but not from the cache.
    mutating func loadingCurrent<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID)
        async throws(CommandError<OAuthError>) -> Loaded<A>
    {
        do { return try await loadCurrent(aggregate, stream) } catch { throw .store(error) }
    }

    /// Refuses unless the key that signed a token is believed, and guards the ring: from the commit
    /// that compromises it nothing passes by it.
    mutating func requireKey(_ key: String?, refused: OAuthError)
        throws(CommandError<OAuthError>)
    {
        guard let key else { return }
        // Whoever verified the token had newer keys: they are read before the next attempt.
        guard let isBelieved = project.keys.believes(key) else { throw .store(.conflict) }
        guard isBelieved else { throw .refused(refused) }
        require(project.ring)
    }

    /// Asks the log before anybody hears that there is no such client: an app erases its session on
    /// that, and this node may not have heard of the client yet, or cannot read what names it.
    func requireKnown(_ client: ClientID) async throws(CommandError<OAuthError>) {
        guard project.client(client) == nil else { return }
        do { try await requireCurrentSettings() } catch { throw .store(error) }
        guard !project.isBehind else { throw .store(.unavailable) }
    }

    /// Refuses unless the subject is active and the browser-session, if any, has not ended.
    ///
    /// Guards both: from the commit that disables one or ends the other nothing passes; nor does
    /// what is done instead, by a node that has not heard that the user is enabled again. That a
    /// browser-session has expired ends no app's session; only its end does (WireContract 9.7).
    ///
    /// `login`: when they logged in to get what is not a session yet, which no end has ended.
    package mutating func requireAlive(
        _ subject: SubjectID,
        _ browserSession: SessionID?,
        since login: Instant? = nil,
        refused: OAuthError
    ) async throws(CommandError<OAuthError>) {
        let owner = try await loading(Subject.self, subject.stream)
        require(owner)
        guard case .active = owner.state, login.map(owner.state.honours(loginAt:)) ?? true else {
            throw .refused(refused)
        }
        guard let browserSession else { return }
        let browser = try await loading(BrowserSession.self, browserSession.stream)
        require(browser)
        guard case .open = browser.state else { throw .refused(refused) }
    }
}

extension Work {
    /// Refuses unless all that `client` has in an app's session rests on is alive, and guards it:
    /// its own part, subject, browser-session, consent, and the session that let it in when that
    /// one's end is its own, with all that one rests on.
    ///
    /// `host`: who lets `client` in now, and whose consent it is that counts; nil: it is in there.
    package mutating func requireAlive(
        _ session: OfflineGrant.Session,
        of client: ClientID,
        letInBy host: ClientID? = nil,
        refused: OAuthError
    ) async throws(CommandError<OAuthError>) {
        try await requireOwnAlive(session, of: client, letInBy: host, refused: refused)
        var next = session.sharedOpening.value.owner
        for _ in 0...OfflineGrant.ownersMax {
            guard let id = next else { return }
            let owner = try await loading(OfflineGrant.self, id.stream)
            guard try cascades(from: owner.state) else { return }
            require(owner)
            guard case .open(let open) = owner.state else {
                try await requireCascade(from: owner.state)
                throw .refused(refused)
            }
            do {
                try await requireOwnAlive(
                    open.value,
                    of: open.sharedOpening.value.client,
                    refused: refused
                )
            } catch {
                if case .refused = error { try await requireCascade(from: owner.state) }
                throw error
            }
            next = open.sharedOpening.value.owner
        }
        do { try await requireCurrentSettings() } catch { throw .store(error) }
        throw .refused(refused)
    }

    /// As `requireAlive`, but for the session that let it in.
    private mutating func requireOwnAlive(
        _ session: OfflineGrant.Session,
        of client: ClientID,
        letInBy host: ClientID? = nil,
        refused: OAuthError
    ) async throws(CommandError<OAuthError>) {
        guard project.honours(client, in: session) else { throw .refused(refused) }
        // What the withdrawal of a consent could not end goes on no longer (decision 0175); who
        // has left to others is not asked: what those have and let in goes on.
        if let asked = host ?? session.known(client)?.client {
            try await requireNotWithdrawn(
                from: asked,
                of: session.sharedOpening.value.subject,
                refused: refused
            )
        }
        try await requireAlive(
            session.sharedOpening.value.subject,
            session.sharedOpening.value.browserSession,
            refused: refused
        )
    }

    /// Asks the log before a guest hears that its owner's end is its own: newer settings, or a
    /// document that cannot be read here, may say that the guests of the owner's client go on.
    private func requireCascade(from owner: OfflineGrant.State)
        async throws(CommandError<OAuthError>)
    {
        do { try await requireCurrentSettings() } catch { throw .store(error) }
        guard let opening = owner.sharedSession?.opening, project.mayHaveStopped(cascading: opening)
        else { return }
        throw .store(.unavailable)
    }

    /// As the project's; unavailable while that cannot tell.
    private func cascades(from owner: OfflineGrant.State) throws(CommandError<OAuthError>) -> Bool {
        guard let cascades = project.cascades(from: owner) else { throw .store(.unavailable) }
        return cascades
    }

    /// Records that `client` has left a session if its removal from the configuration has ended its
    /// part in it: who comes back begins anew (decision 0080).
    mutating func dismissRemoved(
        _ client: ClientID,
        from grant: inout Loaded<OfflineGrant>
    ) throws(CommandError<OAuthError>) {
        guard let session = grant.state.openSession, session.known(client) != nil,
            client != session.opening.client, !project.honours(client, in: session)
        else { return }
        do { try decide(.share(.leave(client, .clientRemoved)), on: &grant) } catch {
            throw .refused(OAuthError(.serverError, "try again later", cause: "\(error)"))
        }
    }

    /// Refuses to let `target` in where it has let the owner in, by however many others (decision
    /// 0195), and where its session would rest on more sessions than `ownersMax`.
    mutating func requireRoom(for target: ClientID, below owner: Loaded<OfflineGrant>)
        async throws(CommandError<OAuthError>)
    {
        var state = owner.state
        var restsOn = true
        for count in 0..<OfflineGrant.rowMax {
            guard let session = state.session else { return }
            guard session.opening.client != target else {
                throw .refused(.refusedApp2App("the target let the owner in", refusal: "AP-003"))
            }
            if restsOn { restsOn = try cascades(from: state) }
            guard !restsOn || count < OfflineGrant.ownersMax else { throw .refused(.fullRow) }
            guard let id = session.opening.owner else { return }
            state = try await loading(OfflineGrant.self, id.stream).state
        }
        throw .refused(.fullRow)
    }

    /// Refuses a client that is unknown or disabled; asks the log first, since it may have been
    /// enabled again.
    func requireEnabled(_ client: ClientID, refused: OAuthError)
        async throws(CommandError<OAuthError>)
    {
        try await requireKnown(client)
        guard project.enabledClient(client) == nil else { return }
        do { try await requireCurrentSettings() } catch { throw .store(error) }
        throw project.isBehind ? .store(.unavailable) : .refused(refused)
    }

    /// Refuses unless the app's session, its own part in it and all it rests on lives, and guards
    /// it: who was thrown out of a session with others in it lets nobody in any more.
    package mutating func requireLive(_ session: SessionID, refused: OAuthError)
        async throws(CommandError<OAuthError>)
    {
        let grant = try await loading(OfflineGrant.self, session.stream)
        guard let open = grant.state.openSession, open.isLive(at: now),
            open.known(open.opening.client) != nil
        else { throw .refused(refused) }
        // A removed client lets nobody in any more; put back, it has nothing of what it had.
        try await requireEnabled(open.opening.client, refused: refused)
        require(grant)
        try await requireAlive(open, of: open.opening.client, refused: refused)
    }
}

extension OfflineGrant {
    /// How many sessions may stand above one, each of which let in the one before it and ends all
    /// before it with its own end (decision 0086): what rests on more is dead.
    ///
    /// Every command that appends to a session guards all of them, too.
    package static let ownersMax = 4

    /// Sessions that let each other in, whether or not they end with each other.
    static let rowMax = 16
}

extension OAuthError {
    fileprivate static var fullRow: Self {
        .refusedApp2App("too many apps let each other in", refusal: "AP-008")
    }
}

extension OfflineGrant.Opening {
    /// The session that let this one in; nil for all that logged in themselves.
    package var owner: SessionID? {
        via == .app2app && parent.kind == .session ? SessionID(parent.stream) : nil
    }
}

extension Project {
    /// Whether the end of any client's sessions may end those they let in.
    var mayCascade: Bool {
        isBehind || !cascadedAt.isEmpty
            || settings.clients.contains { $0.app2app?.cascades ?? false }
    }

    /// Whether the end of this session ends those it let in (`x_app2app_cascade_revocation`); nil:
    /// its client may say so in the document that cannot be read here.
    ///
    /// For a removed client, what it said last counts (decision 0157).
    package func cascades(from owner: OfflineGrant.State) -> Bool? {
        guard let session = owner.sharedSession else { return false }
        let client = session.sharedOpening.value.client
        if hasCascaded(client, since: session.sharedOpening.value.openedAt) { return true }
        if mayLack(client) { return nil }
        return self.client(client)?.app2app?.cascades ?? false
    }
}
