internal import Domain
package import OAuth

/// The answers of the continue and consent pages (`POST /continue`, `POST /consent`).
package struct ContinueSignIn: Sendable {
    private let context: SignInContext
    private let cancel: CancelLogin

    package init(_ context: SignInContext) {
        self.context = context
        cancel = CancelLogin(context)
    }

    /// Goes on with the account of this browser, or asks for another one.
    package func selectAccount(
        _ posted: SignInContext.Posted,
        usesOther: Bool,
        _ browser: BrowserRequest
    ) async throws(OAuthError) -> SignInAnswer {
        guard !usesOther else {
            _ = try await context.open(posted, for: .select, of: browser)
            return SignInAnswer(.login(posted.request))
        }
        return try await context.pressing(.allow(.select), posted, browser) {
            () async throws(OAuthError) in
            let started = try await context.open(posted, for: .select, of: browser)
            return try await goOn(posted, started, giving: nil, browser)
        }
    }

    /// Records the consent and goes on, or goes back with `access_denied`.
    package func consent(
        _ posted: SignInContext.Posted,
        allows: Bool,
        _ browser: BrowserRequest
    ) async throws(OAuthError) -> SignInAnswer {
        let press: SignInContext.Press = allows ? .allow(.consent) : .giveUp(.consent)
        return try await context.pressing(press, posted, browser) {
            () async throws(OAuthError) in
            let started = try await context.open(posted, for: .consent, of: browser)
            guard allows else { return try await cancel.refuse(posted.request, started, browser) }
            return try await goOn(posted, started, giving: started.request.scope, browser)
        }
    }

    private func goOn(
        _ posted: SignInContext.Posted,
        _ started: Authorization.Started,
        giving scope: Scope?,
        _ browser: BrowserRequest
    ) async throws(OAuthError) -> SignInAnswer {
        try await context.refreshSession(of: browser)
        let code = context.code(for: started, of: browser)
        let command = browser.command(client: started.request.client)
        let outcome = try await context.run(command, of: browser, on: posted.request) {
            (work: inout Work) async throws(CommandError<OAuthError>) in
            try await attempt(posted, giving: scope, code, browser, in: &work)
        }
        guard outcome.continuesApp, scope == nil, var view = browser.appSession(.url) else {
            return SignInAnswer(outcome.step)
        }
        view.isConfirmed = true
        let cookie = context.appSessions.seal(view, in: browser.project)
        return SignInAnswer(outcome.step, cookies: [.appSession(cookie, .url)])
    }

    /// How one attempt ended.
    private struct Outcome {
        var step: SignInStep
        /// Whether the user has just agreed to go on with the session of the app.
        var continuesApp = false
    }

    private func attempt(
        _ posted: SignInContext.Posted,
        giving scope: Scope?,
        _ code: OpaqueToken,
        _ browser: BrowserRequest,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> Outcome {
        let id = posted.request
        var (authorization, started) = try await work.loadOpen(id, of: browser)
        let request = started.request
        let client = try work.requireClient(request.client)
        var known: CountingLogin?
        let login: Authorization.Login
        if case .authenticated(_, let earlier) = authorization.state {
            // Logged in by link in this request; only the consent was missing.
            try await work.requireAlive(
                earlier.subject,
                earlier.browserSession,
                since: earlier.authentication.at,
                refused: .endedRequest("subject or browser session ended")
            )
            login = earlier
        } else {
            known = try await work.countingLogin(for: request, of: browser)
            guard let known else { return Outcome(step: .login(id)) }
            login = known.login
        }
        // The button is for the account that the page showed (Security I14).
        let purpose: FormTokens.Purpose = scope == nil ? .select : .consent
        guard
            context.forms.names(
                login.subject,
                posted.token,
                purpose,
                about: id,
                browser: started.browser
            )
        else { return Outcome(step: scope == nil ? .selectAccount(id) : .consent(id)) }
        let continuesApp = if case .app = known { true } else { false }
        let name = work.names.consent(login.subject, client.id, in: work.project.number)
        var consent = try await work.loading(Consent.self, name)
        if scope == nil {
            let isOpen = try await work.needsConsent(
                request,
                of: login.subject,
                client: client
            )
            if isOpen { return Outcome(step: .consent(id), continuesApp: continuesApp) }
        }
        work.see(known)
        if let scope {
            do { try work.decide(.give(client.id, scope), on: &consent) } catch {
                throw .refused(.endedRequest("\(error)"))
            }
        }
        let step = try work.complete(&authorization, as: login, with: code)
        return Outcome(step: step, continuesApp: continuesApp)
    }
}
