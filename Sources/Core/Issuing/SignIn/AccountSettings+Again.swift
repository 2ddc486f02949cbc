internal import Domain
internal import OAuth

// A button that signed its own page out, pressed twice: the second press finds nobody.
extension AccountSettings {
    /// Whether the form signs out what this browser's cookie stands for, and the first press has
    /// ended that, for good.
    func hasSignedOut(by action: Action, _ formToken: [UInt8]?, _ browser: BrowserRequest)
        async throws(OAuthError) -> Bool
    {
        guard try await isOver(action, formToken, browser) else { return false }
        try await context.confirm(for: browser)
        return true
    }

    private func isOver(_ action: Action, _ formToken: [UInt8]?, _ browser: BrowserRequest)
        async throws(OAuthError) -> Bool
    {
        switch action {
        case .endSession(let id):
            if let own = browser.session, SessionID(own.stream) == id,
                isForm(formToken, .endSession, about: id.stream, of: own.digest),
                case .ended = try await context.load(BrowserSession.self, id.stream, for: browser)
            {
                return true
            }
            guard let view = browser.appSession(.token), view.session == id,
                isForm(formToken, .endSession, about: id.stream, of: binding(view, browser)),
                case .revoked = try await context.load(OfflineGrant.self, id.stream, for: browser)
            else { return false }
            return true
        case .withdrawConsent(let client):
            guard let view = browser.appSession(.token), view.client == client else {
                return false
            }
            let state = try await context.load(
                OfflineGrant.self,
                view.session.stream,
                for: browser
            )
            guard let session = state.session else { return false }
            let name = context.commands.names.consent(
                session.opening.subject,
                client,
                in: browser.project.number
            )
            guard isForm(formToken, .withdrawConsent, about: name, of: binding(view, browser))
            else { return false }
            if case .revoked = state { return true }
            return session.known(client) == nil
        case .endOthers, .removeKey: return false
        }
    }

    private func binding(_ view: AppSession, _ browser: BrowserRequest) -> TokenDigest {
        context.appSessions.digest(of: view, in: browser.project)
    }

    private func isForm(
        _ token: [UInt8]?,
        _ purpose: FormTokens.Purpose,
        about stream: StreamID,
        of browser: TokenDigest
    ) -> Bool {
        let now = context.commands.clock.now
        let checked: Void? = try? context.forms.check(
            token,
            purpose,
            about: stream,
            browser: browser,
            at: now
        )
        return checked != nil
    }
}
