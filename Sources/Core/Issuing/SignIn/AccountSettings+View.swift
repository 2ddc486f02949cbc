internal import Domain
internal import OAuth

// What the page shows of each thing, with the proof that its form carries.
extension AccountSettings {
    func describe(
        _ entry: SessionList.Entry,
        _ device: DeviceInfo?,
        _ visitor: AccountVisitor,
        _ browser: BrowserRequest
    ) -> View.Session {
        View.Session(
            entry: entry,
            clientNames: entry.clients.map { browser.project.name(of: $0) },
            device: device,
            isCurrent: entry.session == visitor.session,
            formToken: token(for: .endSession(entry.session), visitor, browser)
        )
    }

    func describe(
        _ shown: BiometricKeys.Shown,
        _ visitor: AccountVisitor,
        _ browser: BrowserRequest
    ) -> View.Key {
        View.Key(
            registration: shown.key,
            clientName: browser.project.name(of: shown.key.client),
            device: shown.device,
            formToken: token(for: .removeKey(shown.key.kid), visitor, browser)
        )
    }

    /// Nil for one to a client that comes back without asking: there it changes nothing.
    func describe(
        _ given: Consents.Given,
        _ visitor: AccountVisitor,
        _ browser: BrowserRequest
    ) -> View.Consent? {
        let project = browser.project
        guard project.client(given.client)?.consentRequired ?? true else { return nil }
        return View.Consent(
            client: given.client,
            clientName: project.name(of: given.client),
            scope: given.scope,
            formToken: token(for: .withdrawConsent(given.client), visitor, browser)
        )
    }

    func token(
        for action: Action,
        _ visitor: AccountVisitor,
        _ browser: BrowserRequest
    ) -> [UInt8] {
        let (purpose, stream) = form(action, visitor, browser)
        return context.forms.token(
            purpose,
            about: stream,
            browser: visitor.binding,
            expiresAt: context.commands.clock.now.adding(seconds: FormTokens.lifetimeSeconds)
        )
    }

    /// What the proof of its form is about.
    func form(
        _ action: Action,
        _ visitor: AccountVisitor,
        _ browser: BrowserRequest
    ) -> (FormTokens.Purpose, StreamID) {
        switch action {
        case .endSession(let id): (.endSession, id.stream)
        case .endOthers: (.endOthers, visitor.session.stream)
        case .removeKey(let kid):
            (.removeKey, context.commands.names.biometricKey(kid, in: browser.project.number))
        case .withdrawConsent(let client):
            (
                .withdrawConsent,
                context.commands.names.consent(visitor.subject, client, in: browser.project.number)
            )
        }
    }
}
