package import Domain
package import OAuth

/// Logout asked for by a client (OpenID Connect RP-Initiated Logout 1.0, WireContract 9.4).
package struct EndSession: Sendable {
    package static let parameters: Set<String> = [
        "id_token_hint", "client_id", "post_logout_redirect_uri", "state", "ui_locales",
    ]

    /// What the browser sees next.
    package enum Answer: Sendable {
        /// A page with a button; the reference keeps what was asked.
        case confirm(reference: [UInt8])
        /// Logged out: back to the client, or a page of ours where there is no `location`.
        case done(location: String?)
    }

    /// The page with the button.
    package struct Confirmation: Sendable {
        package var projectName: String
        /// Who asks.
        package var clientName: String?
        /// What the button ends; nil: there is nothing left to end.
        package var reach: Reach?
        /// Where its form may end.
        package var redirectURI: RedirectURI?
        package var reference: [UInt8]
        package var formToken: [UInt8]
        /// Where the browser goes when it is done, if the client said so.
        package var location: String?
    }

    let context: SignInContext
    private let signer: any TokenSigner
    private let tokens: TokenVerifier
    private let references: SealedReferences
    private let ending: EndBrowserSession

    package init(_ context: SignInContext, signer: any TokenSigner) {
        self.context = context
        self.signer = signer
        tokens = TokenVerifier(signer, projects: context.commands.projects)
        references = SealedReferences(context.digester)
        ending = EndBrowserSession(context)
    }

    /// What was asked, checked.
    private struct Asked {
        var hint: IDTokenClaims?
        var client: ClientSettings?
        var redirectURI: RedirectURI?
        var state: [UInt8]?

        var location: String? {
            guard let redirectURI else { return nil }
            guard let state else { return redirectURI.text }
            let separator = redirectURI.text.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
            let value = String(decoding: PercentEncoding.encode(state), as: UTF8.self)
            return "\(redirectURI.text)\(separator)state=\(value)"
        }
    }

    /// - Throws: a page 400 for a contradiction or an address that is not the client's.
    package func start(_ form: Form, _ browser: BrowserRequest)
        async throws(OAuthError) -> Answer
    {
        let asked = try await read(form, browser)
        if let own = try await ownSession(browser), let hint = asked.hint,
            try await names(own.id, hint, browser)
        {
            if own.isOpen {
                try await ending.end(own.id, of: own.session.subject, .logout, browser)
                return .done(location: asked.location)
            }
            // Asked again, as after an answer that was lost: it may have been half done.
            await ending.finish(own.id, of: own.session.subject, browser)
        }
        guard try await target(asked, browser) == nil else { return try confirm(form, browser) }
        try await confirmOver(asked, browser)
        return .done(location: asked.location)
    }

    /// The page behind `.confirm`.
    ///
    /// - Throws: a page 400 for a reference that is altered or too old.
    package func confirmation(_ reference: [UInt8]?, _ browser: BrowserRequest)
        async throws(OAuthError) -> Confirmation
    {
        let asked = try await read(try open(reference), browser)
        let target = try await target(asked, browser)
        // Its page says that the user is signed out.
        if target == nil { try await confirmOver(asked, browser) }
        let expiry = context.commands.clock.now.adding(seconds: FormTokens.lifetimeSeconds)
        return Confirmation(
            projectName: browser.project.settings.name,
            clientName: asked.client?.name,
            reach: target.map { reach($0, browser.project) },
            redirectURI: asked.redirectURI,
            reference: reference ?? [],
            formToken: context.forms.token(
                .logout,
                about: target?.stream,
                browser: browser.session?.digest,
                expiresAt: expiry
            ),
            location: asked.location
        )
    }

    /// The button was pressed.
    package func confirm(
        _ reference: [UInt8]?,
        formToken: [UInt8]?,
        _ browser: BrowserRequest
    ) async throws(OAuthError) -> Answer {
        let asked = try await read(try open(reference), browser)
        // Pressed twice, or in two tabs: it is done, and what nothing follows needs no proof.
        guard let target = try await target(asked, browser) else {
            try await confirmOver(asked, browser)
            return .done(location: asked.location)
        }
        do throws(OAuthError) { try check(formToken, about: target.stream, browser) } catch {
            // Of two presses the first ended what the page showed; this is what lay behind it.
            let ended = target.before(asked.hint, browser)
            guard ended.contains(where: { (try? check(formToken, about: $0, browser)) != nil })
            else { throw error }
            try await confirmOver(asked, browser)
            return .done(location: asked.location)
        }
        switch target {
        case .browser(let id, let subject):
            try await ending.end(id, of: subject, .logout, browser)
        case .grant(let id, let subject):
            try await ending.revoke(id, of: subject, .logout, browser)
        case .guest(let client, let id, let subject):
            try await ending.leave(id, client, of: subject, browser)
        case .view:
            // The session that the browser or the hint names has ended before: so target() says.
            if browser.session != nil || asked.hint != nil {
                try await context.confirm(for: browser)
            }
        }
        return .done(location: asked.location)
    }

    /// Where nothing is left to end: returns when it is over for good.
    ///
    /// Of a browser that names no session none was looked at.
    private func confirmOver(_ asked: Asked, _ browser: BrowserRequest) async throws(OAuthError) {
        guard asked.hint != nil || browser.session != nil || !browser.appSessions.isEmpty
        else { return }
        try await context.confirm(for: browser)
    }

    /// What the button would end.
    private enum Target {
        case browser(SessionID, SubjectID)
        case grant(SessionID, SubjectID)
        /// A client's part of a session that another opened (decision 0109).
        case guest(ClientID, SessionID, SubjectID)
        /// What apps let this browser in by, not their own sessions: the cookies alone.
        case view(SessionID, [ClientID])

        var stream: StreamID {
            switch self {
            case .browser(let id, _), .grant(let id, _), .guest(_, let id, _), .view(let id, _):
                id.stream
            }
        }

        /// What is ended first where it lives, so that it is over.
        func before(_ hint: IDTokenClaims?, _ browser: BrowserRequest) -> [StreamID] {
            switch self {
            case .browser: []
            case .grant, .guest: [browser.session?.stream].compactMap(\.self)
            case .view:
                // Of two views one may be over meanwhile: the button takes both cookies away.
                [browser.session?.stream, hint?.session.stream].compactMap(\.self)
                    + browser.appSessions.map(\.session.stream)
            }
        }
    }

    private func reach(_ target: Target, _ project: Project) -> Reach {
        switch target {
        case .browser, .grant: .everything
        case .guest(let client, _, _): .client(project.name(of: client))
        case .view(_, let clients): .browser(clients.map { project.name(of: $0) })
        }
    }

    private func check(_ token: [UInt8]?, about stream: StreamID, _ browser: BrowserRequest)
        throws(OAuthError)
    {
        try context.forms.check(
            token,
            .logout,
            about: stream,
            browser: browser.session?.digest,
            at: context.commands.clock.now
        )
    }

    private func target(_ asked: Asked, _ browser: BrowserRequest)
        async throws(OAuthError) -> Target?
    {
        if let own = try await ownSession(browser), own.isOpen {
            return .browser(own.id, own.session.subject)
        }
        if let hint = asked.hint, let via = try await admission(by: hint, browser) {
            return via == .opening
                ? .grant(hint.session, hint.subject)
                : .guest(hint.audience, hint.session, hint.subject)
        }
        // Any site can lead a browser here: what lets its user in does not go unasked.
        return try await liveViews(of: browser).map { Target.view($0.first, $0.clients) }
    }
}

extension EndSession {
    private func read(_ form: Form, _ browser: BrowserRequest) async throws(OAuthError) -> Asked {
        let request = RequestParameters(form)
        try request.refuseRepeats(of: Self.parameters)
        let state = try request.optional("state")
        let isShort = state.map { $0.count <= AuthorizationRequestReader.stateBytesMax } ?? true
        guard isShort else { throw .badLogout("state too long") }
        let named = try request.optional("client_id")
        let name = named.flatMap { ClientID($0) }
        guard named == nil || name != nil else { throw .badLogout("malformed client_id") }
        let token = try request.optional("id_token_hint")
        let project = try await tokens.project(
            browser.project,
            knowing: token,
            by: browser.deadline
        )
        // A hint that does not verify counts as absent (WireContract 9.4).
        let hint = token.flatMap { signer.verifyIDToken($0, of: project) }
        if let name, let hint, name != hint.audience { throw .badLogout("client contradicts hint") }
        let client = (name ?? hint?.audience).flatMap { project.servedClient($0)?.value }
        let target = try request.optional("post_logout_redirect_uri")
        let asking = name ?? hint?.audience
        if let asking, client == nil, name != nil || target != nil && project.mayLack(asking) {
            throw project.mayLack(asking)
                ? OAuthError(StoreError.unavailable) : .badLogout("unknown client")
        }
        var asked = Asked(hint: hint, client: client, state: state)
        if let text = target {
            guard let uri = RedirectURI(text), let client,
                client.postLogoutRedirectURIs.contains(uri)
            else { throw .badLogout("post_logout_redirect_uri is not one of the client's") }
            asked.redirectURI = uri
        }
        return asked
    }

    private func confirm(_ form: Form, _ browser: BrowserRequest) throws(OAuthError) -> Answer {
        let known = form.fields.filter { field in
            Self.parameters.contains { field.name.elementsEqual($0.utf8) }
        }
        let now = context.commands.clock.now
        // As long as the button of its page.
        let reference = references.seal(
            Form.encode(known),
            for: .logout,
            seconds: FormTokens.lifetimeSeconds,
            at: now
        )
        guard let reference else { throw .badLogout("too long") }
        return .confirm(reference: reference)
    }

    private func open(_ reference: [UInt8]?) throws(OAuthError) -> Form {
        // Without a reference the user came by hand: a logout that nobody asked for.
        guard let reference else { return Form(fields: []) }
        let now = context.commands.clock.now
        guard let bytes = references.open(reference, for: .logout, at: now),
            let form = try? Form(parsing: bytes)
        else { throw .expiredForm }
        return form
    }

    /// The session whose cookie the browser shows, until it expires; it may have been ended.
    private func ownSession(_ browser: BrowserRequest)
        async throws(OAuthError) -> (id: SessionID, session: BrowserSession.Session, isOpen: Bool)?
    {
        guard let cookie = browser.session else { return nil }
        let state = try await context.load(BrowserSession.self, cookie.stream, for: browser)
        guard let session = state.session, session.cookie == cookie.digest,
            session.isLive(at: context.commands.clock.now)
        else { return nil }
        return (SessionID(cookie.stream), session, state.isOpen)
    }
}
