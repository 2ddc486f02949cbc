package import Domain
package import OAuth

/// What the pages of a sign-in show, read from the log; nothing changes (Security I18).
package struct SignInPages: Sendable {
    private let context: SignInContext

    package init(_ context: SignInContext) { self.context = context }

    /// What all pages of a request show.
    package struct Frame: Sendable {
        package var request: StreamID
        /// The digest of the secret that it is bound to.
        package var browser: TokenDigest
        package var projectName: String
        package var clientName: String
        /// Where its forms may end: the client's redirect URI.
        package var redirectURI: RedirectURI
        /// Of the cancel form.
        package var cancelToken: [UInt8]
    }

    /// `GET /login`.
    package struct Login: Sendable {
        package var frame: Frame
        package var formToken: [UInt8]
        /// To fill in.
        package var address: String?
        /// Masked; the address cannot be chosen (WireContract 4.5).
        package var fixedAddress: String?
    }

    /// `GET /login/wait`.
    package struct Waiting: Sendable {
        package var frame: Frame
        package var status: LoginStatus
        /// Whether the request may still go on: another link be asked for, or its consent.
        package var isOpen: Bool
        /// Whether it was completed, so lately that its answer may be asked for again.
        package var isRepeatable: Bool
        /// Whether somebody has logged in, and nothing but a consent is missing.
        package var isLoggedIn: Bool
        package var maskedAddress: String?
        /// Two digits, to be picked on the other device; only in `confirm`.
        package var number: Int?
        /// 0 when another mail may be asked for now.
        package var resendInSeconds: Int64
        package var resendToken: [UInt8]
        package var completeToken: [UInt8]
    }

    /// `GET /continue` and `GET /consent`.
    package struct Account: Sendable {
        package var frame: Frame
        package var formToken: [UInt8]
        package var maskedAddress: String?
        package var scope: Scope
    }

    /// How long a person waits before asking for another mail (limit L5).
    package static let resendSeconds: Int64 = 60

    /// Nil when somebody has logged in already: the consent is next.
    ///
    /// - Throws: a page 404 for another browser's request; a page 400 when it is over.
    package func login(_ id: StreamID, _ browser: BrowserRequest)
        async throws(OAuthError) -> Login?
    {
        let (started, isLoggedIn) = try await context.opened(id, of: browser)
        guard !isLoggedIn else { return nil }
        let request = started.request
        var page = Login(
            frame: try frame(id, started, browser),
            formToken: token(.login, id, started)
        )
        if request.renews != nil, let subject = request.expectedSubject {
            let email = try await context.email(of: subject, for: browser)
            page.fixedAddress = email?.masked ?? "•••"
        } else if let hint = request.loginHint {
            let place = SealedPlace(stream: id, member: "login_hint")
            let bytes = try await context.open(hint, under: id, at: place, by: browser.deadline)
            page.address = bytes.map { String(decoding: $0, as: UTF8.self) }
        }
        return page
    }

    /// - Throws: a page 404 for another browser's request; a page 400 before a link was asked for.
    package func waiting(_ id: StreamID, _ browser: BrowserRequest)
        async throws(OAuthError) -> Waiting
    {
        let state = try await context.current(id, of: browser)
        guard let started = state.started, let link = started.loginLink else {
            throw .endedRequest("no link")
        }
        let newest = try await context.load(LoginLink.self, link, for: browser)
        guard let request = newest.request else { throw .endedRequest("no link") }
        let now = context.commands.clock.now
        // Not from the newest event: that a mail went out tells whose address is known (I15).
        let waited = now.millisecondsSince(request.resentAt ?? request.requestedAt) / 1000
        let isInTime = now < started.request.expiresAt
        return Waiting(
            frame: try frame(id, started, browser),
            status: try await context.status(state, link, newest, browser),
            isOpen: isInTime && !state.hasEnded,
            isRepeatable: isInTime && state.isCompleted,
            isLoggedIn: isInTime && state.isLoggedIn,
            maskedAddress: try await context.email(of: link, request, by: browser.deadline)?.masked,
            number: request.mode == .confirm ? request.number : nil,
            resendInSeconds: max(0, Self.resendSeconds - waited),
            resendToken: token(.resend, id, started),
            completeToken: token(.complete, id, started)
        )
    }

    /// Nil when no login counts any more: then it goes on with a new one (WireContract 4.3).
    package func account(
        _ id: StreamID,
        for purpose: FormTokens.Purpose,
        _ browser: BrowserRequest
    ) async throws(OAuthError) -> Account? {
        let state = try await context.current(id, of: browser)
        let started = try await context.open(id, of: browser)
        var subject: SubjectID?
        if case .authenticated(_, let login) = state { subject = login.subject }
        if subject == nil { subject = try await known(id, started.request, browser) }
        guard let subject else { return nil }
        return Account(
            frame: try frame(id, started, browser),
            formToken: token(purpose, id, started, showing: subject),
            maskedAddress: try await context.email(of: subject, for: browser)?.masked,
            scope: started.request.scope
        )
    }

    /// Whose login counts here; asked as the button will ask, and nothing is decided.
    private func known(
        _ id: StreamID,
        _ request: AuthorizationRequest,
        _ browser: BrowserRequest
    ) async throws(OAuthError) -> SubjectID? {
        let command = browser.command(client: request.client)
        do {
            return try await context.commands.run(command, on: id) {
                (work: inout Work) async throws(CommandError<OAuthError>) in
                try await work.countingLogin(for: request, of: browser)?.login.subject
            }
        } catch { throw OAuthError(error) }
    }

    private func frame(
        _ id: StreamID,
        _ started: Authorization.Started,
        _ browser: BrowserRequest
    ) throws(OAuthError) -> Frame {
        let asking = started.request.client
        guard let client = browser.project.enabledClient(asking)?.value else {
            // While the project is suspended nothing is over.
            throw OAuthError(about: asking, in: browser.project, .endedRequest("client disabled"))
        }
        return Frame(
            request: id,
            browser: started.browser,
            projectName: browser.project.settings.name,
            clientName: client.name,
            redirectURI: started.request.redirectURI,
            cancelToken: token(.cancel, id, started)
        )
    }

    private func token(
        _ purpose: FormTokens.Purpose,
        _ id: StreamID,
        _ started: Authorization.Started,
        showing account: SubjectID? = nil
    ) -> [UInt8] {
        context.forms.token(
            purpose,
            about: id,
            browser: started.browser,
            account: account,
            expiresAt: started.request.expiresAt
        )
    }
}
