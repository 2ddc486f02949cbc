internal import Domain
package import OAuth

/// Opens a web client's session in a browser that an app has vouched for (WireContract 4.4).
package struct OpenPreAuthenticatedURL: Sendable {
    private let context: SignInContext
    private let reader: AuthorizationRequestReader
    private let signer: any TokenSigner
    private let tokens: TokenVerifier

    package init(_ context: SignInContext, signer: any TokenSigner) {
        self.context = context
        self.signer = signer
        tokens = TokenVerifier(signer, projects: context.commands.projects)
        reader = AuthorizationRequestReader(signer: signer, digester: context.digester)
    }

    /// Where the browser goes, and what it carries from then on.
    package struct Opened: Sendable {
        package var location: String
        /// The access token, for the web client's own server.
        package var accessToken: [UInt8]
        /// For ours: the user need not log in again here.
        package var appSession: [UInt8]
    }

    /// Whether a request is of this kind: then nothing is recorded of it but its success.
    package static func isMeant(_ form: Form) -> Bool {
        !AuthorizationRequestReader.isReference(form)
            && AuthorizationRequestReader.isURLResponseType(form.single("response_type") ?? [])
    }

    /// Uses the token up and answers with the cookies, or changes nothing.
    ///
    /// `isSameOrigin`: nobody else's page led here (`Sec-Fetch-Site`).
    package func open(_ form: Form, _ browser: BrowserRequest, isSameOrigin: Bool)
        async throws(AuthorizationRefusal) -> Opened
    {
        let browser = try await browser.knowingHint(of: form, by: tokens)
        let asked = try reader.readURL(form, in: browser.project)
        let outcome: Outcome
        do throws(OAuthError) {
            guard isSameOrigin else { throw .foreignBrowser("another site's page led here") }
            try await context.refreshSession(of: browser)
            let command = browser.command(client: asked.client.id)
            outcome = try await context.run(command, of: browser, on: asked.token.stream) {
                (work: inout Work) async throws(CommandError<OAuthError>) in
                do throws(OAuthError) {
                    try AuthorizationRequestReader.recheck(asked, in: work.project)
                } catch {
                    return .gone(error)
                }
                return .opened(try await attempt(asked, browser, in: &work))
            }
        } catch {
            throw AuthorizationRefusal(error, to: asked.destination)
        }
        switch outcome {
        case .opened(let opened): return opened
        case .gone(let why): throw .page(why)
        }
    }

    /// How one attempt ended.
    private enum Outcome {
        case opened(Opened)
        /// The configuration has changed since the request came: nothing is redirected any more.
        case gone(OAuthError)
    }

    /// Steps d to g; all in one decision and append, the app's session guarded.
    private func attempt(
        _ asked: AuthorizationRequestReader.AskedURL,
        _ browser: BrowserRequest,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> Opened {
        let client = try work.requireClient(asked.client.id)
        do {
            try AuthorizationRequestReader.requireURLs(of: client, in: work.project)
        } catch { throw .refused(error) }
        try work.requireKey(asked.hint.key, refused: .invalidHint)
        try await work.requireNobody(but: asked.hint.subject, in: browser)
        var url = try await work.loading(PreAuthenticatedURL.self, asked.token.stream)
        guard case .issued(let ticket) = url.state
        else { throw .refused(.deadURL("unknown or used")) }
        var grant = try await work.loading(OfflineGrant.self, asked.hint.session.stream)
        if let first = grant.state.session?.opening.client { try await work.requireKnown(first) }
        guard let session = grant.state.openSession, session.isLive(at: work.now),
            session.opening.subject == asked.hint.subject,
            session.known(session.opening.client)?.via == .opening,
            work.project.enabledClient(session.opening.client, in: session) != nil,
            session.accepts(TokenID(asked.token.stream), of: client.id)
        else { throw .refused(.deadURL("its session has ended")) }
        let ended = OAuthError.deadURL("subject, browser session or consent ended")
        let host = session.opening.client
        try await work.requireAlive(session, of: client.id, letInBy: host, refused: ended)
        let granted = try await granted(asked.scope, ticket, session, client, in: &work)
        // All loads are done: from here on every event carries the time of the append.
        let expiresAt = session.opening.clip(work.after(seconds: client.accessTokenLifetimeSeconds))
        let token = TokenID(.timeOrdered(at: work.now, from: context.commands.entropy))
        let opening = PreAuthenticatedURL.Opening(
            secret: asked.token.digest,
            client: client.id,
            session: asked.hint.session,
            token: token,
            tokenExpiresAt: expiresAt,
            at: work.now
        )
        do { try work.decide(.open(opening), on: &url) } catch {
            throw .refused(.deadURL("\(error)"))
        }
        let scope = try Self.require(granted, within: ticket, client)
        let claims = AccessTokenClaims(
            token: token,
            subject: session.opening.subject.description,
            client: client.id,
            audience: [client.id.text],
            scope: scope,
            issuedAt: work.now,
            expiresAt: expiresAt,
            session: asked.hint.session,
            authentication: session.authentication
        )
        try Self.mint(claims, on: &grant, in: &work)
        work.attributes.subject = session.opening.subject
        work.attributes.session = asked.hint.session
        // Before the append: without a key to sign by, the URL is not used up.
        do { return try answer(asked, claims, work.project) } catch { throw .refused(error) }
    }

    /// Nil where a consent is needed that is not on record any more.
    private func granted(
        _ asked: Scope?,
        _ ticket: PreAuthenticatedURL.Ticket,
        _ session: OfflineGrant.Session,
        _ client: ClientSettings,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> Scope? {
        try await work.granted(
            asked ?? ticket.scope.intersection(client.allowedScopes),
            isAsked: asked != nil,
            by: session.opening.subject,
            client: client
        )
    }

    /// Step g.
    private static func require(
        _ granted: Scope?,
        within ticket: PreAuthenticatedURL.Ticket,
        _ client: ClientSettings
    ) throws(CommandError<OAuthError>) -> Scope {
        guard let granted, granted.isSubset(of: ticket.scope),
            granted.isSubset(of: client.allowedScopes)
        else {
            throw .refused(
                OAuthError(.invalidScope, "the scope exceeds the token's", refusal: "PU-006")
            )
        }
        return granted
    }

    private static func mint(
        _ claims: AccessTokenClaims,
        on grant: inout Loaded<OfflineGrant>,
        in work: inout Work
    ) throws(CommandError<OAuthError>) {
        let issue = OfflineGrant.AccessTokenIssue(
            token: claims.token,
            client: claims.client,
            scope: claims.scope,
            via: .preAuthenticatedURL,
            expiresAt: claims.expiresAt
        )
        do { try work.decide(.share(.mint(issue, at: work.now)), on: &grant) } catch {
            throw .refused(.deadURL("\(error)"))
        }
    }

    private func answer(
        _ asked: AuthorizationRequestReader.AskedURL,
        _ claims: AccessTokenClaims,
        _ project: Project
    ) throws(OAuthError) -> Opened {
        let text: [UInt8]
        do { text = try signer.sign(claims, for: project) } catch {
            throw OAuthError(error)
        }
        let view = AppSession(
            session: asked.hint.session,
            client: asked.client.id,
            origin: .url,
            scope: claims.scope,
            issuedAt: claims.issuedAt,
            expiresAt: claims.expiresAt
        )
        return Opened(
            location: asked.location,
            accessToken: text,
            appSession: context.appSessions.seal(view, in: project)
        )
    }
}

extension OAuthError {
    /// Unknown, used, expired, of another client or session: one answer.
    fileprivate static func deadURL(_ cause: String) -> Self {
        Self(
            .invalidRequest,
            "the URL is no longer valid",
            cause: cause,
            refusal: "PU-005"
        )
    }
}
