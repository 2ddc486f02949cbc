internal import Domain
internal import Issuing

/// `GET /consent`: what a client asks for, and whether it may have it (wire.md section 4.3).
struct ConsentPage {
    let view: SignInPages.Account
    let look: PageLook

    var page: Page {
        let frame = view.frame
        let form = PageForm(
            action: "/consent",
            request: frame.request,
            token: view.formToken,
            look: look
        )
        let buttons: HTML = """
            <button name="action" value="allow">Allow</button>
            <button class="plain" name="action" value="deny">Don’t allow</button>
            """
        return Page(
            title: "Allow access",
            content: """
                <h1>Allow access?</h1>
                <p class="lead"><strong>\(frame.clientName)</strong> asks to use your account \
                <strong>\(view.maskedAddress ?? "")</strong>. It would be able to:</p>
                <ul>\(items)</ul>
                \(form.markup(buttons))
                """,
            look: look,
            formTarget: frame.redirectURI
        )
    }

    /// What everybody understands first.
    private var items: [HTML] {
        let known = view.scope.tokens.filter { Self.meaning(of: $0) != nil }
        let own = view.scope.tokens.filter { Self.meaning(of: $0) == nil }
        let offline = known.filter { $0 == "offline_access" }
        return (known.filter { $0 != "offline_access" } + own + offline).map(item)
    }

    private func item(_ scope: String) -> HTML {
        guard let meaning = Self.meaning(of: scope) else {
            // A scope of the project's own: its name is all there is.
            return "<li>Use <strong>\(scope)</strong></li>"
        }
        return "<li>\(meaning)</li>"
    }

    private static func meaning(of scope: String) -> String? {
        switch scope {
        case "openid": "Know who you are"
        case "offline_access": "Stay signed in when you are not using it"
        case "email": "See your e-mail address"
        case "profile", "address", "phone": "See your profile"
        case "https://authgear.com/scopes/full-access": "Use all of your account"
        case "https://authgear.com/scopes/full-userinfo": "See all of your profile"
        default: nil
        }
    }
}
