internal import Domain

// One client's part in the sessions of a user: their families are what it holds of them.
extension SessionEnding {
    /// The apps' sessions of a subject that have this client in them and of which a token may be
    /// good for something, newest first.
    ///
    /// `unread`: those that cannot be read are noted, and left out.
    func sessions(
        of subject: SubjectID,
        with client: ClientID,
        _ request: CommandRequest,
        _ unread: inout UnreadableStreams
    ) async throws(StoreError) -> [SessionID] {
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
            let states = try await states(of: open, request, &unread)
            for stream in open {
                guard case .open(let session) = states[stream], session.known(client) != nil,
                    session.isLive(at: lately)
                else { continue }
                found.append(SessionID(stream))
            }
            return true
        }
        return found
    }

    private func states(
        of streams: [StreamID],
        _ request: CommandRequest,
        _ unread: inout UnreadableStreams
    ) async throws(StoreError) -> [StreamID: OfflineGrant.State] {
        let store = commands.store
        do throws(StoreError) {
            return try await store.states(OfflineGrant.self, of: streams, by: request.deadline)
        } catch {
            guard case .corrupt = error, streams.count > 1 else {
                try unread.note(error)
                return [:]
            }
        }
        var states: [StreamID: OfflineGrant.State] = [:]
        for stream in streams {
            states.merge(try await self.states(of: [stream], request, &unread)) { $1 }
        }
        return states
    }

    /// Ends a client's part in these sessions, or all of one where no other client refreshes in
    /// it, one command each, and what their end ends.
    func withdrawConsent(
        to client: ClientID,
        in sessions: some Sequence<SessionID>,
        _ request: CommandRequest,
        _ unread: inout UnreadableStreams
    ) async throws(StoreError) {
        for id in sessions {
            do throws(StoreError) {
                try await leave(id, client, .withdrawConsent(client), request: request)
            } catch { try unread.note(error) }
            await commands.cascade(from: id, request)
        }
    }
}
