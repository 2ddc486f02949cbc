internal import Domain
package import OAuth

/// The authorization endpoint (RFC 6749 section 3.1, WireContract 4).
package struct Authorize: Sendable {
    let context: SignInContext
    private let reader: AuthorizationRequestReader
    private let tokens: TokenVerifier

    package init(_ context: SignInContext, signer: any TokenSigner) {
        self.context = context
        reader = AuthorizationRequestReader(signer: signer, digester: context.digester)
        tokens = TokenVerifier(signer, projects: context.commands.projects)
    }

    /// Records the request and says where the browser goes: to a page, or back with the outcome.
    package func start(_ form: Form, _ browser: BrowserRequest)
        async throws(AuthorizationRefusal) -> SignInAnswer
    {
        let commands = context.commands
        let browser = try await browser.knowingHint(of: form, by: tokens)
        let asked: AuthorizationRequestReader.Asked
        switch try reader.read(form, in: browser.project, at: commands.clock.now) {
        case .asked(let whole): asked = whole
        case .reference(let reference, let client):
            return try await take(reference, of: client.id, browser)
        }
        let id = StreamID.timeOrdered(at: commands.clock.now, from: commands.entropy)
        // One binding secret per browser: a second tab must not lock out the first.
        let transaction = binding(of: browser, id)
        let code = commands.drawn(.authorizationCode, digester: context.digester)
        do {
            try await context.refreshSession(of: browser)
            let hint = try await sealedHint(asked, id, browser)
            let command = browser.command(client: asked.client.id)
            let step = try await context.run(command.starting, of: browser, on: id) {
                (work: inout Work) async throws(CommandError<OAuthError>) in
                try await attempt(asked, hint, id, transaction, browser, code, in: &work)
            }
            return SignInAnswer(step, cookies: [.transaction(transaction)])
        } catch { throw .page(error) }
    }

    /// A binding secret of this browser, a new one when it has none.
    func binding(of browser: BrowserRequest, _ id: StreamID) -> OpaqueToken {
        browser.transactions.first
            ?? OpaqueToken(
                .transaction,
                stream: id,
                secret: context.commands.entropy.bytes(32),
                digester: context.digester
            )
    }

    /// What is left to ask the user.
    enum Question { case login, account, consent, nothing }

    private func attempt(
        _ asked: AuthorizationRequestReader.Asked,
        _ hint: Sealed?,
        _ id: StreamID,
        _ transaction: OpaqueToken,
        _ browser: BrowserRequest,
        _ code: OpaqueToken,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> SignInStep {
        var request = asked.request
        request.loginHint = hint
        request.renews = try await renewal(request, of: asked.hintedSession, in: &work)
        let known = try await work.countingLogin(for: request, of: browser)
        let question = try await question(request, known, in: &work)
        // All loads are done: from here on every event carries the time of the append.
        request.startedAt = work.now
        if hint != nil { work.attributes.seal = id }
        var authorization = Loaded<Authorization>.new(id)
        try work.deciding(.start(request, browser: transaction.digest), on: &authorization)
        work.see(known)
        return try answer(question, known?.login, &authorization, request, code, in: &work)
    }

    /// The table of WireContract 4.3, row by row.
    func question(
        _ request: AuthorizationRequest,
        _ known: CountingLogin?,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> Question {
        let client = try work.requireClient(request.client)
        guard let known else { return .login }
        // The account first: a consent is given by somebody.
        if request.prompt.contains(.selectAccount) { return .account }
        // The app let the browser in, its user has not been asked; `none` asks nobody.
        if case .app = known, !request.prompt.contains(.none) { return .account }
        let isOpen = try await work.needsConsent(
            request,
            of: known.login.subject,
            client: client
        )
        if isOpen { return .consent }
        // Nobody has asked the user anything, and any app could be the one that takes the code
        // (decision 0170).
        let mayBeAnyApps =
            request.responseType == .code && !RedirectURIRules.isClaimed(request.redirectURI)
        return mayBeAnyApps ? .account : .nothing
    }

    func answer(
        _ question: Question,
        _ login: Authorization.Login?,
        _ authorization: inout Loaded<Authorization>,
        _ request: AuthorizationRequest,
        _ code: OpaqueToken,
        in work: inout Work
    ) throws(CommandError<OAuthError>) -> SignInStep {
        let isSilent = request.prompt.contains(.none)
        switch question {
        case .login where isSilent:
            let error = OAuthError.loginRequired("nothing counts")
            return .respond(try work.fail(&authorization, .loginRequired, error))
        case .account where isSilent:
            let error = OAuthError.loginRequired("any app could take the code")
            return .respond(try work.fail(&authorization, .loginRequired, error))
        case .consent where isSilent:
            return .respond(try work.fail(&authorization, .consentRequired, .consentRequired))
        case .login: return .login(authorization.stream)
        case .account: return .selectAccount(authorization.stream)
        case .consent: return .consent(authorization.stream)
        case .nothing:
            guard let login else { return .login(authorization.stream) }
            return try work.complete(&authorization, as: login, with: code)
        }
    }

    /// The session that a fresh login of the hint's subject renews (WireContract 4.5).
    ///
    /// None with `prompt=none`: nobody logs in, so nothing is renewed (decision 0106); and none for
    /// more than the session has (decision 0111).
    func renewal(
        _ request: AuthorizationRequest,
        of hinted: SessionID?,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> SessionID? {
        guard let session = hinted, let subject = request.expectedSubject,
            request.maxAge != nil || request.prompt.contains(.login),
            !request.prompt.contains(.none), !request.scope.contains("offline_access")
        else { return nil }
        let grant = try await work.loading(OfflineGrant.self, session.stream)
        work.require(grant)
        guard let open = grant.state.openSession, open.opening.client == request.client,
            open.opening.subject == subject, open.isLive(at: work.now),
            request.scope.isSubset(of: open.opening.scope),
            // The one who opened it may have left it since, to others.
            open.known(request.client) != nil
        else { return nil }
        do {
            let ended = OAuthError.loginRequired("what the session rests on ended")
            try await work.requireAlive(open, of: request.client, refused: ended)
        } catch {
            guard case .refused = error else { throw error }
            return nil
        }
        return session
    }

    private func sealedHint(
        _ asked: AuthorizationRequestReader.Asked,
        _ id: StreamID,
        _ browser: BrowserRequest
    ) async throws(OAuthError) -> Sealed? {
        guard !asked.request.prompt.contains(.none) else { return nil }
        return try await context.sealed(
            asked.loginHint,
            of: id,
            in: browser.project,
            by: browser.deadline
        )
    }
}
