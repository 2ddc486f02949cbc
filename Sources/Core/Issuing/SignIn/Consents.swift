package import Domain

/// What a user has allowed clients: read from the log and so exact, and withdrawn
/// (WireContract 9.7, decision 0175).
package struct Consents: Sendable {
    /// Sessions that the append of a withdrawal ends itself; a user has a few with one client.
    package static let sessionsAtOnceMax = 32
    /// Consents shown; a user has a few.
    package static let shownMax = 200

    private let commands: CommandRunner

    package init(commands: CommandRunner) { self.commands = commands }

    /// A consent on record.
    package struct Given: Hashable, Sendable {
        package var client: ClientID
        package var scope: Scope
    }

    /// What is on record, and whether that is all.
    package struct List: Hashable, Sendable {
        package var given: [Given]
        package var hasMore: Bool
        /// Streams that this program cannot read: whatever they say, no request passes by them.
        package var unreadable: [StreamID]
    }

    /// Those on record, the one that was begun or added to last first, `shownMax` at most: one
    /// damaged stream hides no other (decision 0219).
    package func given(by subject: SubjectID, deadline: Deadline)
        async throws(StoreError) -> List
    {
        let store = commands.store
        var given: [Given] = []
        var unreadable: [StreamID] = []
        var known: Set<StreamID> = []
        try await store.eachPage(of: subject, [.consent], by: deadline) {
            (page: [OpenedStream]) async throws(StoreError) in
            // One that was added to, or given again, comes once for each time.
            let streams = page.map(\.stream).filter { known.insert($0).inserted }
            let (states, failures) = try await store.readableStates(
                Consent.self,
                of: streams,
                by: deadline
            )
            unreadable += streams.filter { failures[$0] != nil }
            for stream in streams {
                guard case .given(let client, let scope) = states[stream] else { continue }
                given.append(Given(client: client, scope: scope))
            }
            return given.count <= Self.shownMax
        }
        return List(
            given: Array(given.prefix(Self.shownMax)),
            hasMore: given.count > Self.shownMax,
            unreadable: unreadable
        )
    }

    /// What came of a withdrawal.
    package enum Withdrawal: Hashable, Sendable {
        case withdrawn
        /// It had been already.
        case withdrawnBefore
        /// The user never gave it.
        case unknown
    }

    /// Takes a consent back, and ends what the client has of the user by it: its sessions, and its
    /// part in those that others refresh in.
    ///
    /// The append of the withdrawal ends them; what came in just before it is ended behind it, as
    /// far as that can be done now: nothing of it goes on. Of one that was withdrawn before, what
    /// is left of it: who repeats a request finishes its work.
    package func withdraw(
        from client: ClientID,
        of subject: SubjectID,
        by who: Consent.Withdrawer,
        request: CommandRequest
    ) async throws(StoreError) -> Withdrawal {
        let name = commands.names.consent(subject, client, in: request.project.number)
        let consent = try await commands.store.loadCurrent(
            Consent.self,
            name,
            by: request.deadline
        )
        if case .absent = consent.state { return .unknown }
        var request = request
        request.attributes.subject = subject
        request.attributes.client = client
        let ending = SessionEnding(commands: commands)
        let found = try await ending.sessions(of: subject, with: client, request)
        let last = Array(found.prefix(Self.sessionsAtOnceMax))
        for session in found.dropFirst(Self.sessionsAtOnceMax) {
            try await ending.withdrawConsent(to: client, in: session, request)
        }
        let isNow = try await withdraw(name, from: client, ending: last, by: who, request)
        for session in last { await commands.cascade(from: session, request) }
        try? await endRest(of: subject, from: client, ending, name, request)
        return isNow ? .withdrawn : .withdrawnBefore
    }

    /// Nothing new comes in from the withdrawal on, until the consent is given again.
    private func endRest(
        of subject: SubjectID,
        from client: ClientID,
        _ ending: SessionEnding,
        _ name: StreamID,
        _ request: CommandRequest
    ) async throws(StoreError) {
        let request = try await commands.request(request, causedBy: Consent.self, name) {
            $0 == .withdrawn
        }
        for session in try await ending.sessions(of: subject, with: client, request) {
            try await ending.withdrawConsent(to: client, in: session, request, while: name)
        }
    }

    /// - Returns: whether this withdrew it.
    private func withdraw(
        _ name: StreamID,
        from client: ClientID,
        ending sessions: [SessionID],
        by who: Consent.Withdrawer,
        _ request: CommandRequest
    ) async throws(StoreError) -> Bool {
        try await commands.runUnrefused(request.ending, on: name) {
            (work: inout Work) async throws(StoreError) in
            var consent = try await work.load(Consent.self, name)
            // Of one that there is, no withdrawal is refused.
            let events = try? work.decide(.withdraw(by: who), on: &consent)
            for session in sessions {
                var grant = try await work.load(OfflineGrant.self, session.stream)
                guard case .open = grant.state else { continue }
                _ = try? work.decide(.share(.withdrawConsent(client)), on: &grant)
            }
            return events?.isEmpty == false
        }
    }
}
