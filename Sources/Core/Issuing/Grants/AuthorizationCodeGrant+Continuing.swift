internal import Domain
internal import OAuth

// Seed 2, use case 2, WireContract 4.3: the client comes into the app's session.
extension AuthorizationCodeGrant {
    /// The session that vouched for the user, with the login that continues it.
    struct Host {
        var continuation: Continuation
        var grant: Loaded<OfflineGrant>
        var session: OfflineGrant.Session
    }

    /// The session that a code continues, whatever became of it; nil for every other code.
    func hostGrant(of ticket: AuthorizationCode.Ticket, in work: inout Work)
        async throws(CommandError<OAuthError>) -> Loaded<OfflineGrant>?
    {
        guard let continuation = ticket.continuation else { return nil }
        return try await work.loading(OfflineGrant.self, continuation.session.stream)
    }

    /// The session that a code continues, and all it rests on; nil for every other code.
    func host(
        of ticket: AuthorizationCode.Ticket,
        _ grant: Loaded<OfflineGrant>?,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> Host? {
        guard let continuation = ticket.continuation, var grant else { return nil }
        if grant.state.session?.opening.subject == ticket.subject {
            try work.dismissRemoved(ticket.client, from: &grant)
        }
        guard let session = grant.state.openSession, session.opening.subject == ticket.subject
        else { throw .refused(.refusedCode("the app's session ended")) }
        for client in [session.opening.client, continuation.host] {
            let refused = OAuthError.refusedCode("the app's client is not what it was")
            try await work.requireEnabled(client, refused: refused)
            guard work.project.honours(client, in: session) else { throw .refused(refused) }
        }
        try await work.requireAlive(
            session,
            of: ticket.client,
            letInBy: continuation.host,
            refused: .refusedCode("the app's subject or browser session ended")
        )
        return Host(continuation: continuation, grant: grant, session: session)
    }

    /// Adds a family of this client to the session that vouched for the user; no session opens.
    ///
    /// A device secret is the app's alone: none is handed out here.
    func join(
        _ host: Host,
        _ ticket: AuthorizationCode.Ticket,
        _ code: StreamID,
        _ token: OfflineGrant.AccessTokenIssue,
        _ caller: Caller,
        _ client: ClientSettings,
        in work: inout Work
    ) throws(CommandError<OAuthError>) -> Opened {
        var grant = host.grant
        let session = host.session
        let first = Self.family(of: ticket, joining: session).map {
            refreshToken($0, of: host.continuation.session)
        }
        let end = work.after(seconds: client.refreshTokenLifetimeSeconds)
        let issue = first.map {
            Self.issue($0, ticket, caller, client, until: end)
        }
        let join = OfflineGrant.Join(
            client: client.id,
            invitation: .continue(
                of: host.continuation.host,
                since: host.continuation.since
            ),
            parent: Parent(kind: .code, stream: code),
            scope: ticket.scope,
            at: work.now
        )
        do {
            try work.decide(
                .share(.join(join, refreshToken: issue, accessToken: token)),
                on: &grant
            )
        } catch { throw .refused(.refusedCode("\(error)")) }
        return Opened(refreshToken: first, expiresAt: session.opening.clip(token.expiresAt))
    }
}
