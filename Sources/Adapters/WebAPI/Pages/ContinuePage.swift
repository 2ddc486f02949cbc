internal import Issuing

/// `GET /continue`: which account it is to be (WireContract 4.3).
struct ContinuePage {
    let view: SignInPages.Account
    let look: PageLook

    var page: Page {
        let frame = view.frame
        let form = PageForm(
            action: "/continue",
            request: frame.request,
            token: view.formToken,
            look: look
        )
        let buttons: HTML = """
            <button name="action" value="continue">Continue</button>
            <button class="plain" name="action" value="other">Use another account</button>
            """
        return Page(
            title: "Continue",
            content: """
                <h1>Continue to \(frame.clientName)</h1>
                <p class="lead">You are signed in as \
                <strong>\(view.maskedAddress ?? "this account")</strong>.</p>
                \(form.markup(buttons))
                <div class="quiet">\(PageForm.cancel(frame, look))</div>
                """,
            attributes: Page.held,
            look: look,
            formTarget: frame.redirectURI
        )
    }
}
