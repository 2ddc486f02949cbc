package import Domain

/// Records the end of sessions that a guard refuses already (architecture.md section 8.8).
package struct SessionEnding: Sendable {
    /// Sessions looked at per subject.
    package static let sessionsMax = 1000

    private let commands: CommandRunner

    package init(commands: CommandRunner) { self.commands = commands }

    /// Ends every open session of a subject, one command each.
    package func endAll(
        of subject: SubjectID,
        grants: RevocationReason,
        browserSessions: BrowserSession.EndReason,
        request: CommandRequest
    ) async throws(StoreError) {
        let streams = try await commands.store.streams(
            of: subject,
            kinds: [.offlineGrant],
            limit: Self.sessionsMax,
            by: request.deadline
        )
        for stream in streams {
            try await revoke(SessionID(stream), grants, request: request)
        }
        let browsers = try await commands.store.streams(
            of: subject,
            kinds: [.browserSession],
            limit: Self.sessionsMax,
            by: request.deadline
        )
        for stream in browsers {
            try await end(SessionID(stream), browserSessions, request: request)
        }
    }

    /// Ends one app's session; one that has ended or never was is left alone.
    package func revoke(_ id: SessionID, _ reason: RevocationReason, request: CommandRequest)
        async throws(StoreError)
    {
        try await run(OfflineGrant.self, .revoke(reason), on: id, request) { state in
            if case .open(let session) = state { session.opening.subject } else { nil }
        }
    }

    /// Ends one browser's session.
    package func end(
        _ id: SessionID,
        _ reason: BrowserSession.EndReason,
        request: CommandRequest
    ) async throws(StoreError) {
        try await run(BrowserSession.self, .end(reason), on: id, request) { state in
            if case .open(let session) = state { session.subject } else { nil }
        }
    }

    private func run<A: Aggregate>(
        _ aggregate: A.Type,
        _ command: A.Command,
        on id: SessionID,
        _ request: CommandRequest,
        openFor: (A.State) -> SubjectID?
    ) async throws(StoreError) {
        do throws(CommandError<Never>) {
            try await commands.run(request, on: id.stream) {
                (work: inout Work) async throws(CommandError<Never>) in
                var session: Loaded<A>
                do throws(StoreError) { session = try await work.load(aggregate, id.stream) } catch
                {
                    throw .store(error)
                }
                guard let subject = openFor(session.state) else { return }
                work.attributes.subject = subject
                work.attributes.session = id
                // What has ended meanwhile needs no end.
                _ = try? work.decide(command, on: &session)
            }
        } catch {
            switch error {
            case .store(let why): throw why
            }
        }
    }
}
