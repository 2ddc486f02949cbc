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
                <ul class="things">\(view.sessions.map(item))</ul>
                \(older)\(others)
                <h2>Fingerprint and face</h2>
                \(keys)
                """,
            look: look
        )
    }

    private func item(_ session: AccountSettings.View.Session) -> HTML {
        let name = Self.name(of: session)
        let here: HTML? = session.isCurrent ? " <span class=\"here\">You are here</span>" : nil
        let button = form(
            "sign_out",
            about: ("sid", session.entry.session.description),
            session.formToken,
            "Sign out",
            of: name
        )
        return """
            <li><div><strong>\(name)</strong>\(here)\(Self.application(of: session))
            <small>Signed in \(CivilText.minute(session.entry.authentication.at))</small>
            <small>Last used \(CivilText.minute(session.entry.lastUsedAt))</small></div>
            \(button)</li>
            """
    }

    private static func name(of session: AccountSettings.View.Session) -> String {
        session.device?.device
            ?? (session.entry.kind == .browser ? "A browser" : nil)
            ?? session.device?.application ?? session.clientNames.first ?? "An application"
    }

    /// What is signed in there, unless it is the name already.
    private static func application(of session: AccountSettings.View.Session) -> HTML? {
        let application = session.device?.application.map { [$0] } ?? session.clientNames
        let names = application.filter { $0 != name(of: session) }
        return names.isEmpty ? nil : "<small>\(names.joined(separator: ", "))</small>"
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
        guard !view.keys.isEmpty else {
            return "<p class=\"hint\">No phone signs in as you with a fingerprint or a face.</p>"
        }
        return "<ul class=\"things\">\(view.keys.map(item))</ul>"
    }

    private func item(_ key: AccountSettings.View.Key) -> HTML {
        let name = key.device?.device ?? "A phone"
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
            <small>\(key.device?.application ?? key.clientName)</small>
            <small>Added \(CivilText.minute(key.registration.enabledAt))</small>\(used)</div>
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
