internal import Issuing

/// `GET /login`: asks for the e-mail address (WireContract 7.1).
struct LoginPage {
    let view: SignInPages.Login
    let look: PageLook
    /// What was typed, when it was no address.
    var refused: String?

    var page: Page {
        let frame = view.frame
        let form = PageForm(
            action: "/login",
            request: frame.request,
            token: view.formToken,
            look: look
        )
        return Page(
            title: "Sign in",
            content: """
                <h1>Sign in</h1>
                <p class="lead">to continue to <strong>\(frame.clientName)</strong></p>
                \(form.markup(view.fixedAddress.map(fixed) ?? address))
                <div class="quiet">\(PageForm.cancel(frame, look))</div>
                """,
            look: look,
            formTarget: frame.redirectURI
        )
    }

    private var address: HTML {
        """
        <label for="email">E-mail address</label>
        <input id="email" name="email" type="email" inputmode="email" autocomplete="email" \
        autocapitalize="none" spellcheck="false" maxlength="254" required autofocus \
        value="\(refused ?? view.address ?? "")"\(refused == nil ? nil : fault)>
        \(refused == nil ? nil : message)<button>Continue</button>
        <p class="hint">We send you a link. No password is needed.</p>
        """
    }

    private var fault: HTML { " aria-invalid=\"true\" aria-describedby=\"fault\"" }

    private var message: HTML {
        """
        <p class="fault" id="fault" role="alert">Enter a complete e-mail address, for example \
        name@example.com.</p>

        """
    }

    private func fixed(_ masked: String) -> HTML {
        """
        <p>Confirm that it is you. We send a link to <strong>\(masked)</strong>.</p>
        <button autofocus>Send the link</button>
        """
    }
}
