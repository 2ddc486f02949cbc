internal import Domain
internal import Issuing

/// `GET /consent`: what a client asks for, and whether it may have it (WireContract 4.3).
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
        let items = ScopeText.meanings(of: view.scope).map { "<li>\($0)</li>" as HTML }
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
            attributes: Page.held,
            look: look,
            formTarget: frame.redirectURI
        )
    }
}
