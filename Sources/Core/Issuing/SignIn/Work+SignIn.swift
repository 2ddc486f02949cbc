internal import Domain
internal import OAuth

extension Work {
    /// Decides on an authorization; what it refuses is a page.
    mutating func deciding(_ command: Authorization.Command, on loaded: inout Loaded<Authorization>)
        throws(CommandError<OAuthError>)
    {
        do { try decide(command, on: &loaded) } catch {
            switch error {
            case .unknown, .otherBrowser: throw .refused(.unknownRequest)
            case .otherSubject: throw .refused(.loginRequired("another subject"))
            case .alreadyStarted, .expired, .notAuthenticated, .ended, .scope:
                throw .refused(.endedRequest("\(error)"))
            }
        }
    }

    /// The request if it may still go on in this browser.
    mutating func loadOpen(_ id: StreamID, of browser: BrowserRequest)
        async throws(CommandError<OAuthError>) -> (Loaded<Authorization>, Authorization.Started)
    {
        let loaded = try await loading(Authorization.self, id)
        switch loaded.state {
        case .started(let started), .authenticated(let started, _):
            guard browser.binding(started.browser) != nil else {
                throw .refused(.unknownRequest)
            }
            guard now < started.request.expiresAt else {
                throw .refused(.endedRequest("expired"))
            }
            return (loaded, started)
        case .completed(let started, _, _) where browser.binding(started.browser) != nil:
            throw .refused(.endedRequest("completed"))
        case .failed(let started, _) where browser.binding(started.browser) != nil:
            throw .refused(.endedRequest("failed"))
        case .completed, .failed, .pushed, .absent: throw .refused(.unknownRequest)
        }
    }

    /// The client as this attempt's configuration has it; guards the configuration.
    mutating func requireClient(_ id: ClientID) throws(CommandError<OAuthError>) -> ClientSettings {
        guard let client = project.enabledClient(id)?.value else {
            throw .refused(OAuthError(about: id, in: project, .unknownClient))
        }
        require(project.configuration)
        return client
    }

    /// The browser-session of a cookie while it lives and its subject is active; guards both.
    mutating func liveSession(_ cookie: OpaqueToken?)
        async throws(CommandError<OAuthError>) -> LiveSession?
    {
        guard let cookie else { return nil }
        let loaded = try await loading(BrowserSession.self, cookie.stream)
        guard case .open(let session) = loaded.state, session.value.cookie == cookie.digest,
            session.isLive(at: now)
        else { return nil }
        let owner = try await loading(Subject.self, session.value.subject.stream)
        require(owner)
        guard case .active = owner.state else { return nil }
        require(loaded)
        return LiveSession(loaded: loaded, session: session.value)
    }

    /// Notes that the session was used; throttled by the decider.
    ///
    /// After the last load: the event carries the time of the append.
    mutating func see(_ live: inout LiveSession?) {
        guard var loaded = live?.loaded else { return }
        // A session that cannot be seen has just expired, and its guard still holds.
        _ = try? decide(.see(at: now), on: &loaded)
        live?.loaded = loaded
    }

    /// Whether the user must be asked before this client gets these scopes.
    mutating func needsConsent(
        _ request: AuthorizationRequest,
        of subject: SubjectID,
        client: ClientSettings
    ) async throws(CommandError<OAuthError>) -> Bool {
        if request.prompt.contains(.consent) { return true }
        return try await !isConsented(request.scope, by: subject, client: client)
    }

    /// Whether the consent to these scopes is on record where this client needs one; guards it.
    mutating func isConsented(
        _ asked: Scope,
        by subject: SubjectID,
        client: ClientSettings
    ) async throws(CommandError<OAuthError>) -> Bool {
        guard client.consentRequired else { return true }
        let agreed = try await consent(of: subject, to: client.id)
        return agreed.map { asked.isSubset(of: $0) } ?? false
    }

    /// What a client gets of these scopes where no page asks; guards the consent it needs.
    ///
    /// `isAsked`: all of them or nothing; else those that are on record, if it is any.
    mutating func granted(
        _ scope: Scope,
        isAsked: Bool,
        by subject: SubjectID,
        client: ClientSettings
    ) async throws(CommandError<OAuthError>) -> Scope? {
        guard client.consentRequired else { return scope }
        guard let agreed = try await consent(of: subject, to: client.id) else { return nil }
        let known = scope.intersection(agreed)
        return known.isEmpty || isAsked && known != scope ? nil : known
    }

    /// Refuses a client that needs a consent which was withdrawn, or does not cover `scope`, and
    /// guards that.
    ///
    /// One that never was given refuses nothing: the client may need it only since.
    mutating func requireNotWithdrawn(
        from client: ClientID,
        of subject: SubjectID,
        for scope: Scope? = nil,
        refused: OAuthError
    ) async throws(CommandError<OAuthError>) {
        guard project.requiresConsent(client) else { return }
        let name = names.consent(subject, client, in: project.number)
        let consent = try await loading(Consent.self, name)
        require(consent)
        switch consent.state {
        case .absent: return
        case .given(_, let given):
            guard scope?.isSubset(of: given) ?? true else { throw .refused(refused) }
        case .withdrawn: throw .refused(refused)
        }
    }

    /// What is on record; guards it.
    private mutating func consent(of subject: SubjectID, to client: ClientID)
        async throws(CommandError<OAuthError>) -> Scope?
    {
        let consent = try await loading(
            Consent.self,
            names.consent(subject, client, in: project.number)
        )
        // What is given or withdrawn at the same time must win or lose, not be overlooked.
        require(consent)
        guard case .given(_, let scope) = consent.state else { return nil }
        return scope
    }

    /// Ends the request with a code, or with nothing for `response_type=none`.
    ///
    /// After the last load: the times are the append's.
    mutating func complete(
        _ authorization: inout Loaded<Authorization>,
        as login: Authorization.Login,
        with code: OpaqueToken
    ) throws(CommandError<OAuthError>) -> SignInStep {
        guard let started = authorization.state.started else { throw .refused(.unknownRequest) }
        let request = started.request
        let (client, destination) = try destination(of: request)
        attributes.actor = .subject(login.subject)
        attributes.subject = login.subject
        attributes.client = client.id
        attributes.session = login.browserSession ?? login.continuation?.session
        guard request.scope.isSubset(of: client.allowedScopes) else {
            return .respond(
                try fail(
                    &authorization,
                    .invalidScope,
                    .withdrawnScope
                )
            )
        }
        let issuesCode = request.responseType == .code
        if case .started = authorization.state {
            try deciding(
                .authenticate(login, browser: started.browser, at: now),
                on: &authorization
            )
        }
        try deciding(
            .complete(
                code: issuesCode ? code.stream : nil,
                scope: request.scope,
                browser: started.browser,
                at: now
            ),
            on: &authorization
        )
        if issuesCode {
            var issued = Loaded<AuthorizationCode>.new(code.stream)
            let ticket = ticket(request, login, code, parent: authorization.stream)
            do { try decide(.issue(ticket), on: &issued) } catch {
                throw .refused(.endedRequest("\(error)"))
            }
        }
        return .respond(AuthorizationResponse(to: destination, code: issuesCode ? code.text : nil))
    }

    /// Ends the request without a code.
    mutating func fail(
        _ authorization: inout Loaded<Authorization>,
        _ failure: Authorization.Failure,
        _ error: OAuthError
    ) throws(CommandError<OAuthError>) -> AuthorizationResponse {
        guard let started = authorization.state.started else { throw .refused(.unknownRequest) }
        let (client, destination) = try destination(of: started.request)
        attributes.client = client.id
        try deciding(.fail(failure, browser: started.browser), on: &authorization)
        return AuthorizationResponse(to: destination, failing: error)
    }

    /// The client, and where its answer goes: the configuration may have changed since the request
    /// was checked, and a redirect goes only to what is registered (Security I21).
    mutating func destination(of request: AuthorizationRequest)
        throws(CommandError<OAuthError>)
        -> (ClientSettings, AuthorizationResponse.Destination)
    {
        let client = try requireClient(request.client)
        let isNative = client.applicationType == .native
        guard
            client.redirectURIs.contains(where: {
                RedirectURIRules.matches(request.redirectURI, $0, isNative: isNative)
            })
        else { throw .refused(.endedRequest("redirect_uri no longer registered")) }
        return (client, AuthorizationResponse.Destination(request, in: project))
    }

    private func ticket(
        _ request: AuthorizationRequest,
        _ login: Authorization.Login,
        _ code: OpaqueToken,
        parent: StreamID
    ) -> AuthorizationCode.Ticket {
        AuthorizationCode.Ticket(
            client: request.client,
            redirectURI: request.redirectURI,
            redirectURIGiven: request.redirectURIGiven,
            scope: request.scope,
            resources: request.resources,
            secret: code.digest,
            codeChallenge: request.codeChallenge,
            nonce: request.nonce,
            dpopKey: request.dpopKey,
            subject: login.subject,
            authentication: login.authentication,
            parent: Parent(kind: .authorization, stream: parent),
            browserSession: login.browserSession,
            continuation: login.continuation,
            renews: request.renews,
            expiresAt: now.adding(seconds: project.settings.codeLifetimeSeconds)
        )
    }
}

/// A browser-session that lives at the time of the attempt.
struct LiveSession {
    var loaded: Loaded<BrowserSession>
    let session: BrowserSession.Session

    var login: Authorization.Login {
        Authorization.Login(
            subject: session.subject,
            browserSession: SessionID(loaded.stream),
            via: .browserSession,
            authentication: session.authentication
        )
    }
}

extension CommandRunner {
    /// A value nobody can guess, about a new stream of class T.
    func drawn(_ kind: OpaqueToken.Kind, digester: any Digester) -> OpaqueToken {
        OpaqueToken(
            kind,
            stream: .timeOrdered(at: clock.now, from: entropy),
            secret: entropy.bytes(32),
            digester: digester
        )
    }
}
