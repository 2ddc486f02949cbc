internal import Domain
internal import OAuth

/// Whose settings a browser shows and changes, and by what right (decision 0066).
struct AccountVisitor: Hashable, Sendable {
    var subject: SubjectID
    var email: EmailAddress
    /// The session that the cookie stands for.
    var session: SessionID
    /// The app that opened the page; nil for a browser's own session.
    var client: ClientID?
    /// The digest of the cookie: forms are for this browser alone.
    var binding: TokenDigest

    /// A command that the user gives.
    func command(by browser: BrowserRequest) -> CommandRequest {
        var command = browser.command()
        command.attributes.actor = .subject(subject)
        command.attributes.client = client
        return command
    }
}

extension AccountSettings {
    /// - Throws: `login_required` unless a cookie stands for a live session of an active user.
    func visitor(_ browser: BrowserRequest) async throws(OAuthError) -> AccountVisitor {
        if let own = try await ownSession(browser) { return own }
        if let app = try await appSession(browser) { return app }
        throw OAuthError(
            .loginRequired,
            "the user must log in",
            cause: "no cookie of a live session",
            refusal: "SE-001",
            status: 403
        )
    }

    /// What this browser stands for: the visitor's session, and that of an app that opened a page.
    ///
    /// Who asks from either is not elsewhere.
    func sessionsHere(of visitor: AccountVisitor, _ browser: BrowserRequest)
        async throws(OAuthError) -> Set<SessionID>
    {
        var here: Set = [visitor.session]
        if let app = try await appSession(browser) { here.insert(app.session) }
        return here
    }

    private func ownSession(_ browser: BrowserRequest) async throws(OAuthError) -> AccountVisitor? {
        guard let cookie = browser.session else { return nil }
        let state = try await context.load(BrowserSession.self, cookie.stream, for: browser)
        guard case .open(let session) = state, session.value.cookie == cookie.digest,
            session.isLive(at: context.commands.clock.now),
            let email = try await context.email(of: session.value.subject, for: browser)
        else { return nil }
        return AccountVisitor(
            subject: session.value.subject,
            email: email,
            session: SessionID(cookie.stream),
            client: nil,
            binding: cookie.digest
        )
    }

    /// Only by a token that an app with full access asked for (WireContract 9.6): a
    /// pre-authenticated URL opens a client's pages, within its scope, and not these.
    private func appSession(_ browser: BrowserRequest) async throws(OAuthError) -> AccountVisitor? {
        let now = context.commands.clock.now
        guard let view = browser.appSession(.token), now < view.expiresAt,
            // Also while the project is suspended: here things end (decision 0201).
            let client = browser.project.servedClient(view.client)?.value,
            client.allowedScopes.contains(UserAccess.scope)
        else { return nil }
        let live: OfflineGrant.Session?
        do {
            live = try await liveness.session(
                view.session,
                for: view.client,
                in: browser.project,
                evenSuspended: true,
                at: now,
                by: browser.deadline
            ).live?.value
        } catch { throw OAuthError(error) }
        guard let live, let known = live.known(view.client), view.issuedAt >= known.since,
            let email = try await context.email(of: live.opening.subject, for: browser)
        else { return nil }
        return AccountVisitor(
            subject: live.opening.subject,
            email: email,
            session: view.session,
            client: view.client,
            binding: context.appSessions.digest(of: view, in: browser.project)
        )
    }
}
