internal import Issuing

extension MailText {
    /// A biometric key was added (WireContract 5.5).
    init(_ mail: BiometricKeyMail) {
        let title = "A new way to sign in to \(mail.clientName)"
        var facts = [Fact("Added", Self.time(mail.addedAt))]
        // A thief's app says what it likes, in a mail that is ours.
        if let device = Self.said(mail.device) {
            facts.append(("Device, as it calls itself", device))
        }
        if let application = Self.said(mail.application) {
            facts.append(("Application, as it calls itself", application))
        }
        let text = """
            \(title)

            A key was added to your account at \(mail.projectName): from now on the
            fingerprint, face or code of the device below signs in to \(mail.clientName)
            as you.

            \(Self.lines(facts))

            If it was you, there is nothing to do.
            If it was not you, somebody else can use your account: remove the key,
            and sign out everywhere else, in your settings. Open them from
            \(mail.clientName), or where you are signed in:

            \(mail.settingsLink)

            """
        let (client, project) = (Self.escape(mail.clientName), Self.escape(mail.projectName))
        let link = Self.escape(mail.settingsLink)
        let html = Self.page(
            title,
            """
            <p>A key was added to your account at \(project): from now on the fingerprint, face or
            code of the device below signs in to \(client) as you.</p>
            \(Self.table(facts))
            <p>If it was you, there is nothing to do.</p>
            <p><strong>If it was not you,</strong> somebody else can use your account: remove the
            key, and sign out everywhere else, in <a href="\(link)">your settings</a>. Open them
            from \(client), or where you are signed in.</p>
            """
        )
        self.init(subject: "New sign-in method for \(mail.projectName)", text: text, html: html)
    }
}
