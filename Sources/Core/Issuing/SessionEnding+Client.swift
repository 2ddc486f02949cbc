internal import Domain

// One client's part in the sessions of a user: their families are what it holds of them.
extension SessionEnding {
    /// The apps' sessions of a subject that have this client in them and of which a token may be
    /// good for something, newest first.
    ///
    /// A session that cannot be read here is left out: nothing of it is accepted here either.
    func sessions(of subject: SubjectID, with client: ClientID, _ request: CommandRequest)
        async throws(StoreError) -> [SessionID]
    {
        // An access token of a session's last moment outlives its idle end.
        let lately = commands.clock.now.adding(seconds: -OfflineGrant.accessTokenSecondsMax)
        var found: [SessionID] = []
        try await commands.store.eachPage(
            of: subject,
            [.offlineGrant],
            length: SessionList.batchLength,
            by: request.deadline
        ) { (page: [OpenedStream]) async throws(StoreError) in
            let open = page.filter { !$0.isOver }.map(\.stream)
            let (states, _) = try await commands.store.readableStates(
                OfflineGrant.self,
                of: open,
                by: request.deadline
            )
            for stream in open {
                guard let session = states[stream]?.openSession, session.known(client) != nil,
                    session.isLive(at: lately)
                else { continue }
                found.append(SessionID(stream))
            }
            return true
        }
        return found
    }

    /// Ends a client's part in a session, or all of it where no other client refreshes in it, and
    /// what its end ends.
    ///
    /// `consent`: which must still be withdrawn; nil: whatever it is.
    func withdrawConsent(
        to client: ClientID,
        in id: SessionID,
        _ request: CommandRequest,
        while consent: StreamID? = nil
    ) async throws(StoreError) {
        try await commands.runUnrefused(request.ending, on: id.stream) {
            (work: inout Work) async throws(StoreError) in
            // If it was given again meanwhile, it has new sessions, which are none of these.
            if let consent, try await !work.requireWithdrawn(consent) { return }
            var grant = try await work.load(OfflineGrant.self, id.stream)
            guard case .open = grant.state else { return }
            work.attributes.session = id
            _ = try? work.decide(.share(.withdrawConsent(client)), on: &grant)
        }
        await commands.cascade(from: id, request)
    }
}

extension Work {
    /// Whether a consent is withdrawn; guards that.
    fileprivate mutating func requireWithdrawn(_ name: StreamID) async throws(StoreError) -> Bool {
        let consent = try await load(Consent.self, name)
        require(consent)
        return consent.state == .withdrawn
    }
}
