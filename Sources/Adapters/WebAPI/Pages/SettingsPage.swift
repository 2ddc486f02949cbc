internal import Domain
internal import Issuing

/// `GET /settings`: the user's sessions and keys, each with its button.
struct SettingsPage {
    let view: AccountSettings.View
    let look: PageLook

    var page: Page {
        Page(
            title: "Your account",
            content: """
                <h1>Your account</h1>
                <p class="lead">You are signed in as <strong>\(view.maskedAddress)</strong>.</p>
                <h2>Where you are signed in</h2>
                \(sessions)
                \(older)\(others)
                <h2>Fingerprint and face</h2>
                \(keys)
                \(consents)
                """,
            attributes: Page.held,
            look: look
        )
    }

    /// A page of those that have all ended has none, and leads on.
    private var sessions: HTML {
        let more: HTML? =
            view.hasUnreadableSessions
            ? "<p class=\"hint\">Not every session can be shown now.</p>" : nil
        guard !view.sessions.isEmpty else {
            return more ?? "<p class=\"hint\">None of these is signed in any more.</p>"
        }
        return "<ul class=\"things\">\(view.sessions.map(item))</ul>\(more)"
    }

    private func item(_ session: AccountSettings.View.Session) -> HTML {
        let name = Self.name(of: session)
        let said = session.device?.application
        let apps = Self.applications(session.clientNames, besides: name, said: said)
        let here: HTML? = session.isCurrent ? " <span class=\"here\">You are here</span>" : nil
        let button = form(
            "sign_out",
            about: ("sid", session.entry.session.description),
            session.formToken,
            "Sign out",
            of: name
        )
        return """
            <li><div><strong>\(name)</strong>\(here)\(apps)\(neighbours(of: session))
            <small>Signed in \(CivilText.minute(session.entry.authentication.at))</small>
            <small>Last used \(CivilText.minute(session.entry.lastUsedAt))</small></div>
            \(button)</li>
            """
    }

    private static func name(of session: AccountSettings.View.Session) -> String {
        session.device?.device ?? (session.entry.kind == .browser ? "A browser" : nil)
            ?? session.clientNames.first ?? "An application"
    }

    /// What is signed in there, by its registered names; and what it calls itself, when that is
    /// none of them.
    private static func applications(_ names: [String], besides name: String, said: String?)
        -> HTML
    {
        let registered = names.filter { $0 != name }
        let known: HTML? =
            registered.isEmpty ? nil : "<small>\(registered.joined(separator: ", "))</small>"
        let own: HTML? = said.flatMap { said in
            names.contains(said) ? nil : "<small>Calls itself “\(said)”</small>"
        }
        return "\(known)\(own)"
    }

    /// Which other sessions on this page are on the same device.
    private func neighbours(of session: AccountSettings.View.Session) -> HTML? {
        let others = view.sessions.filter {
            $0.entry.deviceGroup == session.entry.deviceGroup && $0.entry != session.entry
        }
        let names = others.compactMap(\.clientNames.first)
        return names.isEmpty
            ? nil : "<small>On the same phone as \(names.joined(separator: ", "))</small>"
    }

    private var older: HTML? {
        view.next.map { next in
            """
            <p><a href="/settings?cursor=\(next.description)\(look.query)">Older sessions</a></p>
            """
        }
    }

    /// Nothing when there is nowhere else to be signed in.
    private var others: HTML? {
        guard view.next != nil || view.sessions.contains(where: { !$0.isCurrent }) else {
            return nil
        }
        return form("sign_out_others", about: nil, view.othersToken, "Sign out everywhere else")
    }

    private var keys: HTML {
        let more: HTML? =
            view.hasUnreadableKeys
            ? "<p class=\"hint\">Not every phone can be shown now.</p>" : nil
        guard !view.keys.isEmpty else {
            return more
                ?? "<p class=\"hint\">No phone signs in as you with a fingerprint or a face.</p>"
        }
        return "<ul class=\"things\">\(view.keys.map(item))</ul>\(more)"
    }

    private func item(_ key: AccountSettings.View.Key) -> HTML {
        let name = key.device?.device ?? "A phone"
        let said = key.device?.application
        let apps = Self.applications([key.clientName], besides: name, said: said)
        let button = form(
            "remove_key",
            about: ("kid", key.registration.kid),
            key.formToken,
            "Remove",
            of: name
        )
        let used: HTML? = key.registration.lastUsedAt.map {
            "<small>Last used \(CivilText.minute($0))</small>"
        }
        return """
            <li><div><strong>\(name)</strong>
            \(apps)
            <small>Added \(CivilText.minute(key.registration.enabledAt))</small>\(used)</div>
            \(button)</li>
            """
    }

    /// Nothing where nothing was allowed: most projects have no client that asks.
    private var consents: HTML? {
        guard !view.consents.isEmpty || view.hasUnreadableConsents else { return nil }
        let list: HTML? =
            view.consents.isEmpty
            ? nil : "<ul class=\"things\">\(view.consents.map(item))</ul>"
        let more: HTML? =
            view.hasUnreadableConsents
            ? "<p class=\"hint\">Not every application can be shown now.</p>" : nil
        return """
            <h2 id="consents">What you have allowed</h2>
            \(list)\(more)
            """
    }

    private func item(_ consent: AccountSettings.View.Consent) -> HTML {
        let button = form(
            "withdraw_consent",
            about: ("client_id", consent.client.text),
            consent.formToken,
            "Withdraw",
            of: consent.clientName
        )
        let meanings = ScopeText.meanings(of: consent.scope).map { "<small>\($0)</small>" as HTML }
        return """
            <li><div><strong>\(consent.clientName)</strong>\(meanings)</div>
            \(button)</li>
            """
    }

    /// One button; `of` tells people who hear the page which one it is.
    private func form(
        _ action: StaticString,
        about field: (name: StaticString, value: String)?,
        _ token: [UInt8],
        _ button: StaticString,
        of name: String? = nil
    ) -> HTML {
        let hidden: HTML? = field.map { name, value in
            "<input type=\"hidden\" name=\"\("\(name)")\" value=\"\(value)\">"
        }
        let (action, button) = ("\(action)", "\(button)")
        let label: HTML? = name.map { " aria-label=\"\(button): \($0)\"" }
        return """
            <form method="post" action="/settings">
            \(hidden)<input type="hidden" name="form_token" value="\(text: token)">
            \(look.field)<button class="plain" name="action" \
            value="\(action)"\(label)>\(button)</button>
            </form>
            """
    }
}
