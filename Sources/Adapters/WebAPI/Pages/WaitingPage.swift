internal import Domain
internal import Issuing
internal import OAuth

/// `GET /login/wait`: waits for the approval, and goes on with it (WireContract 7.1).
struct WaitingPage {
    let view: SignInPages.Waiting
    let look: PageLook
    let scripts: PageScripts

    var page: Page {
        switch view.status {
        case .pending: pending
        case .approved: button("Approved")
        case .denied:
            over("This sign-in was refused", "It was refused on the page behind the link.")
        case .expired: over("The link has expired", "A link works once and for a few minutes.")
        case .canceled: over("This sign-in was cancelled", "Nothing was changed.")
        case .completed where view.isLoggedIn: button("You are signed in")
        case .completed where view.isRepeatable && view.frame.opensApp:
            button("You are signed in", "If the application did not open, continue to")
        case .completed: over("You are signed in", "You can go back to where you began.")
        }
    }

    private var pending: Page {
        let frame = view.frame
        let address = view.maskedAddress ?? "your e-mail address"
        return Page(
            title: "Check your e-mail",
            content: """
                <h1>Check your e-mail</h1>
                <p class="lead">We sent a link to <strong>\(address)</strong>. \
                Open it to sign in to <strong>\(frame.clientName)</strong>.</p>
                \(view.number.map(number))\
                <p class="waits" role="status">Waiting for your approval</p>
                <p class="hint">It can take a minute. Look in the spam folder, too.</p>
                \(completion(hidden: true))
                <div class="quiet">\(resend)\(PageForm.cancel(frame, look))</div>
                """,
            attributes: """
                 data-status-url="/login/status?tx=\(frame.request.description)&wait=25" \
                data-resend="\(view.resendInSeconds)"\(frame.opensApp ? Self.beside : nil)
                """,
            look: look,
            formTarget: frame.redirectURI,
            script: Page.Script(.waiting, scripts),
            refreshSeconds: 5
        )
    }

    /// What the page says once it has opened an app, beside which it stays.
    private static let beside: HTML = """
         data-app="Approved" data-beside="If the application did not open, continue here"
        """

    private func button(_ title: String, _ lead: HTML = "You can now continue to") -> Page {
        Page(
            title: title,
            content: """
                <h1>\(title)</h1>
                <p class="lead">\(lead) \
                <strong>\(view.frame.clientName)</strong>.</p>
                \(completion(hidden: false))
                """,
            look: look,
            formTarget: view.frame.redirectURI
        )
    }

    private func over(_ title: String, _ text: String) -> Page {
        Page(
            title: title,
            content: """
                <h1>\(title)</h1>
                <p class="lead">\(text)</p>
                \(onward)
                """,
            attributes: " data-status=\"\(view.status.rawValue)\"",
            look: look,
            formTarget: view.frame.redirectURI
        )
    }

    /// Where somebody goes from a login that came to nothing.
    private var onward: HTML {
        switch view.status {
        case .denied:
            PageForm(
                action: "/login/cancel",
                request: view.frame.request,
                token: view.frame.cancelToken,
                look: look
            ).markup("<button autofocus>Back to \(view.frame.clientName)</button>")
        case .expired:
            view.isOpen
                ? """
                <p><a href="/login?tx=\(view.frame.request.description)\(look.query)">\
                Send a new link</a></p>
                <div class="quiet">\(PageForm.cancel(view.frame, look))</div>
                """
                : "<p>Go back to the application and begin again.</p>"
        case .pending, .approved, .canceled, .completed: ""
        }
    }

    private func number(_ number: Int) -> HTML {
        """
        <p class="number">Pick this number on the other device \
        <strong>\(Self.digits(number))</strong></p>

        """
    }

    private func completion(hidden: Bool) -> HTML {
        PageForm(
            action: "/login/complete",
            request: view.frame.request,
            token: view.completeToken,
            look: look,
            attributes: hidden ? " id=\"complete\" hidden" : " id=\"complete\""
        ).markup("<button autofocus>Continue</button>")
    }

    private var resend: HTML {
        PageForm(
            action: "/login/resend",
            request: view.frame.request,
            token: view.resendToken,
            look: look,
            attributes: view.resendInSeconds > 0 ? " id=\"resend\" hidden" : " id=\"resend\""
        ).markup("<button class=\"link\">Send it again</button>")
    }

    /// Always two.
    static func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension SignInPages.Frame {
    /// Whether it goes on in an app, by a private scheme, and not at an address of the web.
    fileprivate var opensApp: Bool {
        (try? AbsoluteURI(Array(redirectURI.text.utf8)))?.origin == nil
    }
}
