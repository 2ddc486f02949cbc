package import Domain
package import OAuth

/// What the use cases of sign-in share: the log, digests, seals.
package struct SignInContext: Sendable {
    package let commands: CommandRunner
    package let digester: any Digester
    package let sealer: any Sealer
    package let forms: FormTokens
    package let appSessions: AppSessions
    private let contexts: any ContextLog

    package init(
        commands: CommandRunner,
        digester: any Digester,
        sealer: any Sealer,
        contexts: any ContextLog
    ) {
        self.commands = commands
        self.digester = digester
        self.sealer = sealer
        self.contexts = contexts
        appSessions = AppSessions(digester)
        forms = FormTokens(digester)
    }

    /// A form as it was posted: which request it is about, and its proof.
    package struct Posted: Sendable {
        package var request: StreamID
        package var token: [UInt8]?

        package init(request: StreamID, token: [UInt8]?) {
            self.request = request
            self.token = token
        }
    }

    /// Runs a command for a browser, and notes afterwards where it came from, if it did anything.
    func run<Outcome>(
        _ command: CommandRequest,
        of browser: BrowserRequest,
        on stream: StreamID,
        _ body: (inout Work) async throws(CommandError<OAuthError>) -> Outcome
    ) async throws(OAuthError) -> Outcome {
        do { return try await commands.run(noted(command, of: browser), on: stream, body) } catch {
            throw OAuthError(error)
        }
    }

    /// The command, of which it will be noted where it came from.
    func noted(_ command: CommandRequest, of browser: BrowserRequest) -> CommandRequest {
        var command = command
        command.committed = { [contexts] commit in
            guard let at = commit.streams.first?.occurredAt else { return }
            contexts.record(
                RequestContext(
                    command: commit.command,
                    project: commit.project,
                    subject: commit.attributes.subject,
                    at: at,
                    network: browser.address.network,
                    userAgent: browser.userAgent
                )
            )
        }
        return command
    }

    /// A request of this browser as the log has it now.
    ///
    /// - Throws: a page 404 for an unknown request or another browser's.
    func current(_ id: StreamID, of browser: BrowserRequest)
        async throws(OAuthError) -> Authorization.State
    {
        let state = try await load(Authorization.self, id, for: browser)
        guard let started = state.started, browser.binding(started.browser) != nil else {
            throw .unknownRequest
        }
        return state
    }

    /// As above, of a request that may still go on.
    ///
    /// - Throws: a page 400 when it is over or too old.
    func open(_ id: StreamID, of browser: BrowserRequest)
        async throws(OAuthError) -> Authorization.Started
    {
        try await opened(id, of: browser).started
    }

    /// As above, and whether it has its login, so that nothing but a consent is missing.
    func opened(_ id: StreamID, of browser: BrowserRequest)
        async throws(OAuthError) -> (started: Authorization.Started, isLoggedIn: Bool)
    {
        let state = try await current(id, of: browser)
        switch state {
        case .started(let started), .authenticated(let started, _):
            guard commands.clock.now < started.request.expiresAt else {
                throw .endedRequest("expired")
            }
            return (started, state.isLoggedIn)
        case .absent, .pushed, .completed, .failed: throw .endedRequest("not open")
        }
    }

    /// Whether the browser's request has its login, and nothing but a consent is missing.
    func isLoggedIn(_ id: StreamID, of browser: BrowserRequest) async throws(OAuthError) -> Bool {
        try await current(id, of: browser).isLoggedIn
    }

    /// Checks a posted form of an open request.
    func open(_ posted: Posted, for purpose: FormTokens.Purpose, of browser: BrowserRequest)
        async throws(OAuthError) -> Authorization.Started
    {
        try check(posted, for: purpose, of: browser)
        return try await open(posted.request, of: browser)
    }

    /// Checks a posted form, of whatever request.
    func check(_ posted: Posted, for purpose: FormTokens.Purpose, of browser: BrowserRequest)
        throws(OAuthError)
    {
        try forms.check(
            posted.token,
            purpose,
            about: posted.request,
            browsers: browser.bindings,
            at: commands.clock.now
        )
    }

    /// Brings the cookie's session up to the log's head before a command relies on it: a login on
    /// another node has changed its cookie, and a stale copy would ask the user again.
    func refreshSession(of browser: BrowserRequest) async throws(OAuthError) {
        if let session = browser.session {
            _ = try await load(BrowserSession.self, session.stream, for: browser)
        }
        for view in browser.appSessions {
            _ = try await load(OfflineGrant.self, view.session.stream, for: browser)
        }
    }

    /// The browser's project with the configuration of the log: for an answer that nothing is
    /// appended with.
    func currentProject(of browser: BrowserRequest) async throws(OAuthError) -> Project {
        let project = browser.project
        do {
            let restsOn = [project.configuration]
            if try await commands.store.areCurrent(restsOn, by: browser.deadline) { return project }
            try await commands.projects.reload(project.number, by: browser.deadline)
        } catch { throw OAuthError(error) }
        return commands.projects.project(number: project.number) ?? project
    }

    /// As `CommandRunner.confirm`: before a browser hears that what it asks for was done before.
    package func confirm(for browser: BrowserRequest) async throws(OAuthError) {
        do { try await commands.confirm(by: browser.deadline) } catch { throw OAuthError(error) }
    }

    /// What a stream of the browser's project says now; one of another project is absent.
    func load<A: Aggregate>(
        _ aggregate: A.Type,
        _ stream: StreamID,
        for browser: BrowserRequest
    ) async throws(OAuthError) -> A.State {
        do {
            let store = commands.store
            return try await store.loadCurrent(aggregate, stream, by: browser.deadline)
                .seen(from: browser.project.number).state
        } catch { throw OAuthError(error) }
    }

    /// What `sealed` says; nil when its key is gone.
    func open(
        _ sealed: Sealed,
        under key: StreamID,
        at place: SealedPlace,
        by deadline: Deadline
    ) async throws(OAuthError) -> [UInt8]? {
        do {
            return try await sealer.existingKey(key, by: deadline)?.open(sealed, at: place)
        } catch { throw OAuthError(error) }
    }

    /// The subject's address; nil when it is erased.
    func email(of subject: SubjectID, for browser: BrowserRequest)
        async throws(OAuthError) -> EmailAddress?
    {
        do {
            return try await email(of: subject, in: browser.project.number, by: browser.deadline)
        } catch { throw OAuthError(error) }
    }

    /// As above, outside a browser's request; nil also when the subject is disabled.
    func email(of subject: SubjectID, in project: ProjectNumber, by deadline: Deadline)
        async throws(StoreError) -> EmailAddress?
    {
        let loaded = try await commands.store.loadCurrent(
            Subject.self,
            subject.stream,
            by: deadline
        )
        guard case .active(let profile) = loaded.seen(from: project).state,
            let key = try await sealer.existingKey(subject.stream, by: deadline)
        else { return nil }
        return key.open(profile.value.email, at: .email(of: subject)).flatMap { EmailAddress($0) }
    }

    /// An address to fill in, for the stream of its request alone.
    func sealed(
        _ hint: EmailAddress?,
        of id: StreamID,
        in project: Project,
        by deadline: Deadline
    ) async throws(OAuthError) -> Sealed? {
        guard let hint else { return nil }
        do {
            let key = try await sealer.key(id, of: project.number, by: deadline)
            return key.seal(hint.bytes, as: SealedPlace(stream: id, member: "login_hint"))
        } catch { throw OAuthError(error) }
    }

    /// The address a link was sent to.
    func email(of link: StreamID, _ request: LoginLink.Request, by deadline: Deadline)
        async throws(OAuthError) -> EmailAddress?
    {
        let place = SealedPlace(stream: link, member: "email")
        let bytes = try await open(request.email, under: link, at: place, by: deadline)
        return bytes.flatMap { EmailAddress($0) }
    }
}

extension SealedPlace {
    /// Where `subject.registered` keeps the address; the key is the subject's.
    package static func email(of subject: SubjectID) -> Self {
        Self(stream: subject.stream, member: "email")
    }
}

extension Authorization.State {
    /// Whether it has its login, and nothing but a consent is missing.
    var isLoggedIn: Bool { if case .authenticated = self { true } else { false } }

    /// Who has logged in; nil where nobody has.
    var login: Authorization.Login? {
        switch self {
        case .authenticated(_, let login), .completed(_, let login, _): login
        case .absent, .pushed, .started, .failed: nil
        }
    }

    /// Whether it has its code, or needed none.
    var isCompleted: Bool { if case .completed = self { true } else { false } }

    /// Whether it goes on no more.
    var hasEnded: Bool {
        switch self {
        case .completed, .failed: true
        case .absent, .pushed, .started, .authenticated: false
        }
    }

    /// What was asked; nil for a request that never was.
    package var started: Authorization.Started? {
        switch self {
        case .absent, .pushed: nil
        case .started(let started), .authenticated(let started, _), .completed(let started, _, _),
            .failed(let started, _):
            started
        }
    }
}
