internal import Domain
package import OAuth

/// Opens our own pages, or a client's, in a browser that an app has vouched for (WireContract 9.6).
package struct OpenAppSession: Sendable {
    /// How long the browser is let in.
    package static let lifetimeSeconds: Int64 = 1200
    private static let hint = "https://authgear.com/login_hint?"

    private let context: SignInContext
    private let tokens: AppSessionTokens
    private let verifier: TokenVerifier
    private let reader: AuthorizationRequestReader

    package init(_ context: SignInContext, signer: any TokenSigner) {
        self.context = context
        tokens = AppSessionTokens(context.digester)
        verifier = TokenVerifier(signer, projects: context.commands.projects)
        reader = AuthorizationRequestReader(signer: signer, digester: context.digester)
    }

    /// Where the browser goes, and the cookie it carries from then on.
    package struct Opened: Sendable {
        package var response: AuthorizationResponse
        package var appSession: [UInt8]
    }

    /// Whether a request is of this kind: then nothing is recorded of it but its success.
    ///
    /// Some SDKs ask for `code` where they open our settings; there is none either way (decision
    /// 0171).
    package static func isMeant(_ form: Form, in project: Project) -> Bool {
        guard !AuthorizationRequestReader.isReference(form), token(of: form) != nil,
            let type = form.single("response_type")
        else { return false }
        return type.elementsEqual("none".utf8)
            || type.elementsEqual("code".utf8)
                && AuthorizationRequestReader.settings(form.single("redirect_uri"), in: project)
                    != nil
    }

    private static func token(of form: Form) -> [UInt8]? {
        guard let text = form.single("login_hint"), text.starts(with: hint.utf8),
            let hint = try? Form(parsing: text[hint.utf8.count...]),
            hint.single("type")?.elementsEqual("app_session_token".utf8) == true
        else { return nil }
        return hint.single("app_session_token")
    }

    /// Uses the token up and answers with the cookie, or changes nothing.
    ///
    /// `isSameOrigin`: nobody else's page led here (`Sec-Fetch-Site`).
    package func open(_ form: Form, _ browser: BrowserRequest, isSameOrigin: Bool)
        async throws(AuthorizationRefusal) -> Opened
    {
        let browser = try await browser.knowingHint(of: form, by: verifier)
        let asked = try reader.readAppSession(form, in: browser.project)
        let client = asked.client
        let outcome: Outcome
        do throws(OAuthError) {
            guard isSameOrigin else { throw .foreignBrowser("another site's page led here") }
            let now = context.commands.clock.now
            guard let text = Self.token(of: form),
                let (id, bornAt, use) =
                    tokens.read(text, of: client.id, in: browser.project, at: now)
            else { throw .loginRequired("the app-session token is dead") }
            let view = AppSession(
                session: id,
                client: client.id,
                origin: .token,
                scope: .empty,
                // Not now: the stay it was made in may be over, and another one have begun.
                issuedAt: bornAt,
                expiresAt: now.adding(seconds: Self.lifetimeSeconds)
            )
            try await context.refreshSession(of: browser)
            let command = browser.command(client: client.id)
            outcome = try await context.run(command, of: browser, on: use.stream) {
                (work: inout Work) async throws(CommandError<OAuthError>) in
                do throws(OAuthError) {
                    try AuthorizationRequestReader.recheck(asked, in: work.project)
                } catch {
                    return .gone(error)
                }
                let client = try work.requireClient(view.client)
                try await attempt(view, use, asked, client, browser, in: &work)
                return .opened(view)
            }
        } catch {
            throw AuthorizationRefusal(error, to: asked.destination)
        }
        switch outcome {
        case .opened(let view):
            return Opened(
                response: AuthorizationResponse(to: asked.destination, code: nil),
                appSession: context.appSessions.seal(view, in: browser.project)
            )
        case .gone(let why): throw .page(why)
        }
    }

    /// How one attempt ended.
    private enum Outcome {
        case opened(AppSession)
        /// The configuration has changed since the request came: nothing is redirected any more.
        case gone(OAuthError)
    }

    private func attempt(
        _ view: AppSession,
        _ use: SingleUse,
        _ asked: AuthorizationRequestReader.AskedAppSession,
        _ client: ClientSettings,
        _ browser: BrowserRequest,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) {
        guard let session = try await work.liveSession(view) else {
            throw .refused(.loginRequired("the app's session ended"))
        }
        // As when it was made: only full access opens all pages.
        guard client.authenticationMethod == .none, client.allowedScopes.contains(UserAccess.scope)
        else {
            throw .refused(.loginRequired("the client has full access no more"))
        }
        let subject = session.opening.subject
        try await work.requireNobody(but: subject, in: browser)
        guard asked.expectedSubject == nil || asked.expectedSubject == subject else {
            throw .refused(.loginRequired("another subject"))
        }
        if let maxAge = asked.maxAge,
            work.now >= session.authentication.at.adding(seconds: maxAge)
        {
            throw .refused(.loginRequired("the app's login is too old"))
        }
        work.attributes.subject = subject
        work.attributes.session = view.session
        try await work.spend(use, refused: .loginRequired("the app-session token was used"))
    }
}
