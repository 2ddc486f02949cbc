internal import Domain
internal import Issuing

/// `GET /flows/verify_login_link`: approval by button (WireContract 7.5).
struct LinkPage {
    /// What the page behind a pressed button says.
    enum Result: String, CaseIterable {
        case approved, denied
        case wrongNumber = "wrong_number"
    }

    let view: ApproveLoginLink.LinkView
    let token: [UInt8]
    let formToken: [UInt8]
    let look: PageLook
    /// A button was pressed without picking a number.
    var isNumberMissing = false

    var page: Page {
        Page(
            title: "Approve sign-in",
            content: """
                \(view.isOtherMail ? otherMail : ownMail)
                <dl>
                <div><dt>Application</dt><dd>\(view.client.name)</dd></div>
                \(view.device.map { "<div><dt>Device</dt><dd>\($0)</dd></div>" })
                \(view.place.map { "<div><dt>Place</dt><dd>\($0)</dd></div>" })
                <div><dt>Time</dt><dd>\(CivilText.minute(view.requestedAt))</dd></div>
                </dl>
                <form method="post" action="/flows/verify_login_link">
                <input type="hidden" name="token" value="\(text: token)">
                <input type="hidden" name="form_token" value="\(text: formToken)">
                \(look.field)\(view.numbers.isEmpty ? nil : numbers)
                \(mayApprove ? approve : nil)<button class="plain" name="action" value="deny" \
                formnovalidate>No, it is not me</button>
                </form>
                """,
            attributes: Page.held,
            look: look
        )
    }

    private var ownMail: HTML {
        """
        <h1>Is this you signing in?</h1>
        <p class="lead">Approve only if you have just asked for this.</p>
        """
    }

    /// Whoever waits for a mail takes the one that comes for theirs (decision 0241).
    private var otherMail: HTML {
        """
        <h1>This is not the mail you asked for in this browser</h1>
        <p class="lead">A sign-in waits in this browser for a mail, and this is another one. \
        \(mayApprove ? numberFirst : elsewhere)</p>
        """
    }

    private var numberFirst: HTML {
        """
        If it was not you who asked for it, say no. If it was, on another device, pick the number \
        that is shown there.
        """
    }

    private var elsewhere: HTML {
        """
        If it was not you who asked for it, say no. If it was, on another device, open the mail on \
        that one, or cancel the sign-in that waits here and open the mail again.
        """
    }

    /// A number tells the two mails apart; without one neither does a tap.
    private var mayApprove: Bool { !view.isOtherMail || !view.numbers.isEmpty }

    private var approve: HTML {
        """
        <button name="action" value="approve">Yes, sign me in</button>

        """
    }

    private var numbers: HTML {
        """
        <fieldset\(isNumberMissing ? fault : nil)>
        <legend>Which number does the other device show?</legend>
        <div class="numbers">\(view.numbers.map(choice))</div>
        \(isNumberMissing ? message : nil)</fieldset>
        """
    }

    private var fault: HTML { " aria-describedby=\"fault\"" }

    private var message: HTML {
        "<p class=\"fault\" id=\"fault\" role=\"alert\">Pick the number first.</p>"
    }

    private func choice(_ number: Int) -> HTML {
        let digits = WaitingPage.digits(number)
        return """
            <label><input type="radio" name="number" value="\(digits)" required>\
            <span>\(digits)</span></label>
            """
    }

    /// After the button.
    static func done(_ result: Result, _ look: PageLook) -> Page {
        let (title, text) = words(result)
        return .outcome(
            title,
            text,
            isGood: result == .approved,
            attributes: " data-result=\"\(result.rawValue)\"",
            look
        )
    }

    private static func words(_ result: Result) -> (title: String, text: String) {
        switch result {
        case .approved:
            (
                "Sign-in approved",
                "Go back to where you began: it goes on there. You can close this page."
            )
        case .denied:
            (
                "Sign-in refused",
                "Nobody was signed in. If you did not ask for this, there is nothing else to do."
            )
        case .wrongNumber:
            (
                "That was another number",
                "The other device shows a different one, so nobody was signed in. If it is you, "
                    + "begin again there. If you did not ask for this, there is nothing else to do."
            )
        }
    }
}
