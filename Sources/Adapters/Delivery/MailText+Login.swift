internal import Issuing

extension MailText {
    /// A login link (WireContract 7.2).
    init(_ mail: LoginMail) {
        var facts = [Fact("Requested", Self.time(mail.requestedAt))]
        if let device = mail.device { facts.append(("Device", device)) }
        if let place = mail.place { facts.append(("Place", place)) }
        let minutes = mail.validMinutes == 1 ? "1 minute" : "\(mail.validMinutes) minutes"
        let life = "The link works once, for \(minutes)."
        let text = """
            Sign in to \(mail.clientName)

            Somebody asked to sign in to \(mail.clientName) (\(mail.projectName)) with this
            address. If it was you, open this link and approve:

            \(mail.link)

            \(life)

            \(Self.lines(facts))

            If it was not you, do nothing: without the link nobody gets in.
            Do not pass this mail on.

            """
        self.init(
            subject: "Sign in to \(mail.projectName)",
            text: text,
            html: Self.html(mail, facts, life)
        )
    }

    private static func html(_ mail: LoginMail, _ facts: [Fact], _ life: String) -> String {
        let client = escape(mail.clientName)
        let link = escape(mail.link)
        return page(
            "Sign in to \(mail.clientName)",
            """
            <p>Somebody asked to sign in to \(client) (\(escape(mail.projectName))) with this
            address. If it was you, open this link and approve:</p>
            <p><a href="\(link)">Review the sign-in</a></p>
            <p style="word-break:break-all">\(link)</p>
            <p>\(life)</p>
            \(table(facts))
            <p>If it was not you, do nothing: without the link nobody gets in.
            Do not pass this mail on.</p>
            """
        )
    }
}
