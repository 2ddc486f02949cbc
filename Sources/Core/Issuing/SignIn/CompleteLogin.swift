internal import Domain
package import OAuth

/// Turns an approved link into a login: the one place where a person becomes a subject
/// (`POST /login/complete`, WireContract 7.1).
package struct CompleteLogin: Sendable {
    let context: SignInContext
    let endSession: EndBrowserSession

    package init(_ context: SignInContext, endSession: EndBrowserSession) {
        self.context = context
        self.endSession = endSession
    }

    /// What was drawn before the first attempt: a second one gives the same answer.
    private struct Drawn {
        var subject: SubjectID
        var session: OpaqueToken
        var code: OpaqueToken
    }

    /// How one attempt ended.
    private struct Outcome {
        var step: SignInStep
        var session: OpaqueToken?
        /// The session of somebody else that this login has ended.
        var replaced: (session: SessionID, owner: SubjectID)?
        /// Whether somebody logged in, as whom the request asked for.
        var isLogin = false
    }

    /// Consumes the approval; the request goes on (WireContract 4.3).
    ///
    /// - Throws: a page 400 unless the link is approved; while it is pending, or where its approval
    ///   logs nobody in any more, the waiting page is the answer.
    package func complete(_ posted: SignInContext.Posted, _ browser: BrowserRequest)
        async throws(OAuthError) -> SignInAnswer
    {
        try await context.pressing(.complete, posted, browser) {
            () async throws(OAuthError) in try await press(posted, browser)
        }
    }

    private func press(_ posted: SignInContext.Posted, _ browser: BrowserRequest)
        async throws(OAuthError) -> SignInAnswer
    {
        let started = try await context.open(posted, for: .complete, of: browser)
        guard let link = started.loginLink else { throw .endedRequest("no link") }
        let state = try await context.load(LoginLink.self, link, for: browser)
        if let request = state.awaited, context.commands.clock.now < request.expiresAt {
            return SignInAnswer(.waiting(posted.request))
        }
        // The answer was lost, or the button pressed twice.
        if case .consumed = state, try await context.isLoggedIn(posted.request, of: browser) {
            return SignInAnswer(.consent(posted.request), cookies: browser.endOfApp)
        }
        guard case .approved(let request) = state,
            let email = try await context.email(of: link, request, by: browser.deadline)
        else { throw .endedRequest("not approved") }
        try await context.refreshSession(of: browser)
        let drawn = draw(for: started, browser)
        let command = browser.command(client: started.request.client)
        let outcome: Outcome
        do throws(OAuthError) {
            outcome = try await context.run(command, of: browser, on: posted.request) {
                (work: inout Work) async throws(CommandError<OAuthError>) in
                try await attempt(posted.request, link, email, drawn, browser, in: &work)
            }
        } catch {
            guard error.isEndedRequest, try await !context.opensStill(link, request, browser)
            else { throw error }
            // Where the same press, twice at once, has ended the request, that is what is thrown.
            _ = try await context.open(posted.request, of: browser)
            // Else it came too late: the page says so, and has the way to another link.
            return SignInAnswer(.waiting(posted.request))
        }
        if let (former, owner) = outcome.replaced {
            await endSession.finish(former, of: owner, browser)
        }
        let life = browser.project.settings.sessionLifetimeSeconds
        var cookies = outcome.session.map { [CookieChange.session($0, maxAgeSeconds: life)] } ?? []
        // From here on this browser is whose login it was, no longer the app's: nor is the token
        // that the app's client got by it, and would take for this login's.
        if outcome.isLogin { cookies += browser.endOfApp }
        return SignInAnswer(outcome.step, cookies: cookies)
    }

    private func draw(for started: Authorization.Started, _ browser: BrowserRequest) -> Drawn {
        let commands = context.commands
        let now = commands.clock.now
        return Drawn(
            subject: SubjectID(.permanent(at: now, from: commands.entropy)),
            session: commands.drawn(.browserSession, digester: context.digester),
            code: context.code(for: started, of: browser)
        )
    }

    private func attempt(
        _ id: StreamID,
        _ link: StreamID,
        _ email: EmailAddress,
        _ drawn: Drawn,
        _ browser: BrowserRequest,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> Outcome {
        // Loads first: from the first decision on every event carries the time of the append.
        var (authorization, started) = try await work.loadOpen(id, of: browser)
        let request = started.request
        let client = try work.requireClient(request.client)
        var approved = try await work.loading(LoginLink.self, link)
        if case .consumed = approved.state, case .authenticated = authorization.state {
            // The same form came twice at once.
            return Outcome(step: .consent(id), isLogin: true)
        }
        let owner = try await owner(of: email, approved, drawn, in: &work)
        let opensSession = request.sso && approved.state.request?.opensBrowserSession == true
        let cookie = opensSession ? browser.session : nil
        let live = try await work.liveSession(cookie)
        let needsConsent = try await work.needsConsent(
            request,
            of: owner.subject,
            client: client
        )
        try consume(&approved, started.browser, in: &work)
        if let expected = request.expectedSubject, expected != owner.subject {
            let error = OAuthError.loginRequired("another subject")
            return Outcome(step: .respond(try work.fail(&authorization, .loginRequired, error)))
        }
        try admit(owner, drawn, in: &work)
        var outcome = Outcome(step: .consent(id), isLogin: true)
        let how = approved.state.login(at: work.now)
        var session: SessionID?
        if opensSession {
            let own = approved.state.browsersLogin(at: work.now)
            session = try open(owner.subject, own, live, link, drawn, &outcome, in: &work)
        }
        outcome.replaced = try await work.endReplaced(cookie, by: owner.subject)
        let login = Authorization.Login(
            subject: owner.subject,
            browserSession: session,
            via: .loginLink,
            authentication: how
        )
        work.attributes.actor = .subject(owner.subject)
        work.attributes.subject = owner.subject
        work.attributes.session = session
        try work.deciding(
            .authenticate(login, browser: started.browser, at: work.now),
            on: &authorization
        )
        if !needsConsent {
            outcome.step = try work.complete(&authorization, as: login, with: drawn.code)
        }
        return outcome
    }

    private func consume(
        _ link: inout Loaded<LoginLink>,
        _ browser: TokenDigest,
        in work: inout Work
    ) throws(CommandError<OAuthError>) {
        do { try work.decide(.consume(initiator: browser, at: work.now), on: &link) } catch {
            throw .refused(.endedRequest("\(error)"))
        }
    }
}

extension CompleteLogin {
    /// The subject of an address, existing or about to be.
    private struct Owner {
        var subject: SubjectID
        var login: Loaded<LoginID>
        /// Its key and new stream, when the address becomes a subject now.
        var registration: (key: any SealingKey, email: EmailAddress)?
    }

    /// Loads and guards; registers nothing yet.
    private func owner(
        of email: EmailAddress,
        _ approved: Loaded<LoginLink>,
        _ drawn: Drawn,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> Owner {
        guard let link = approved.state.request else { throw .refused(.endedRequest("no link")) }
        let name = work.names.loginID(email, in: work.project.number)
        let login = try await work.loading(LoginID.self, name)
        work.require(login)
        switch login.state {
        case .claimed(let subject):
            let loaded = try await work.loading(Subject.self, subject.stream)
            guard loaded.state.honours(linkRequestedAt: link.requestedAt) else {
                throw .refused(.endedRequest("subject not active, or enabled since"))
            }
            work.require(loaded)
            // Nor by a link of the time when it was nobody's (decision 0191).
            guard link.subject == subject else {
                // Unless it has just registered them, by the same form that came twice at once.
                let now = try await work.loadingCurrent(LoginLink.self, approved.stream)
                guard now.version == approved.version else { throw .store(.conflict) }
                throw .refused(.endedRequest("the address is another subject's by now"))
            }
            return Owner(subject: subject, login: login)
        case .free:
            guard work.project.settings.signup == .open else {
                throw .refused(.endedRequest("no sign-up"))
            }
            // Whose address it was has been erased since the mail was sent.
            guard link.subject == nil else { throw .refused(.endedRequest("subject erased")) }
            // Committed before the append that needs it; an orphan is harmless (Events 5).
            let key: any SealingKey
            do {
                key = try await context.sealer.key(
                    drawn.subject.stream,
                    of: work.project.number,
                    by: work.deadline
                )
            } catch { throw .store(error) }
            return Owner(subject: drawn.subject, login: login, registration: (key, email))
        }
    }

    /// Registers a new subject and claims its address, in the append of its first login.
    private func admit(_ owner: Owner, _ drawn: Drawn, in work: inout Work)
        throws(CommandError<OAuthError>)
    {
        guard let (key, email) = owner.registration else { return }
        var subject = Loaded<Subject>.new(owner.subject.stream)
        var login = owner.login
        let place = SealedPlace(stream: login.stream, member: "value")
        work.attributes.seal = owner.subject.stream
        do {
            try work.decide(
                .register(
                    source: .loginLink,
                    email: key.seal(email.bytes, as: .email(of: owner.subject)),
                    emailVerified: true,
                    at: work.now
                ),
                on: &subject
            )
        } catch { throw .refused(.endedRequest("\(error)")) }
        do {
            try work.decide(
                .claim(by: owner.subject, kind: .email, value: key.seal(email.bytes, as: place)),
                on: &login
            )
        } catch { throw .refused(.endedRequest("\(error)")) }
    }

    /// The browser-session of this login: a new one, or the subject's own with a new cookie.
    private func open(
        _ subject: SubjectID,
        _ how: Authentication,
        _ live: LiveSession?,
        _ link: StreamID,
        _ drawn: Drawn,
        _ outcome: inout Outcome,
        in work: inout Work
    ) throws(CommandError<OAuthError>) -> SessionID {
        if let live, live.session.subject == subject {
            var loaded = live.loaded
            let cookie = OpaqueToken(
                .browserSession,
                stream: loaded.stream,
                secret: drawn.session.secret,
                digester: context.digester
            )
            let command = BrowserSession.Command.reauthenticate(
                how,
                subject: subject,
                cookie: cookie.digest,
                at: work.now
            )
            do { try work.decide(command, on: &loaded) } catch {
                throw .refused(.endedRequest("\(error)"))
            }
            outcome.session = cookie
            return SessionID(loaded.stream)
        }
        let settings = work.project.settings
        var opened = Loaded<BrowserSession>.new(drawn.session.stream)
        let session = BrowserSession.Session(
            subject: subject,
            authentication: how,
            cookie: drawn.session.digest,
            parent: Parent(kind: .loginLink, stream: link),
            openedAt: work.now,
            expiresAt: work.now.adding(seconds: settings.sessionLifetimeSeconds),
            idleMilliseconds: settings.sessionIdleSeconds * 1000
        )
        do { try work.decide(.open(session), on: &opened) } catch {
            throw .refused(.endedRequest("\(error)"))
        }
        outcome.session = drawn.session
        return SessionID(opened.stream)
    }
}
