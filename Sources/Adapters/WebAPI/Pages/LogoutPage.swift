internal import Issuing

/// `GET /logout`: the button that ends a session, and the page after it (WireContract 9.4).
struct LogoutPage {
    let view: EndSession.Confirmation
    let look: PageLook

    /// What it asks for `reach`, the one of its view.
    func page(_ reach: EndSession.Reach) -> Page {
        Page(
            title: "Sign out",
            content: """
                <h1>Sign out?</h1>
                <p class="lead">\(view.clientName.map(asker))\(consequence(reach))</p>
                <form method="post" action="/logout">
                <input type="hidden" name="reference" value="\(text: view.reference)">
                <input type="hidden" name="form_token" value="\(text: view.formToken)">
                \(look.field)<button>Sign out</button>
                </form>
                """,
            attributes: Page.held,
            look: look,
            formTarget: view.redirectURI
        )
    }

    private func asker(_ client: String) -> HTML {
        "<strong>\(client)</strong> asks to end your session. "
    }

    private func consequence(_ reach: EndSession.Reach) -> HTML {
        switch reach {
        case .everything:
            """
            You will be signed out of <strong>\(view.projectName)</strong> and of the applications \
            you opened with it.
            """
        case .client(let name):
            """
            You will be signed out of <strong>\(name)</strong>. The application you signed in to \
            first stays signed in.
            """
        case .browser(let names):
            """
            You will be signed out in this browser. \(staying(names))
            """
        }
    }

    private func staying(_ names: [String]) -> HTML {
        let marked = names.map { (name: String) -> HTML in "<strong>\(name)</strong>" }
        guard let last = marked.last, marked.count > 1 else {
            return "The application \(marked) stays signed in."
        }
        // Of each way in one.
        return "The applications \(Array(marked.dropLast())) and \(last) stay signed in."
    }

    static func done(_ look: PageLook) -> Page {
        .outcome(
            "You are signed out",
            "You can close this page.",
            isGood: true,
            attributes: " data-result=\"signed_out\"",
            look
        )
    }
}
