import Delivery
import Domain
import Issuing
import Testing

@Suite("A mail about a biometric key") struct BiometricKeyMailTests {
    private func mail(device: String? = "Google Pixel 8", application: String? = "Example App")
        throws -> String
    {
        let mail = BiometricKeyMail(
            to: try #require(EmailAddress(Array("a@example.com".utf8))),
            projectName: "Example Bank",
            clientName: "Example App",
            addedAt: Instant(seconds: 1_795_232_554),
            settingsLink: "https://auth.example.com/settings",
            device: device,
            application: application
        )
        let message = MailMessage(
            .biometricKey(mail),
            from: try #require(EmailAddress(Array("noreply@auth.example.com".utf8))),
            token: "token",
            at: Instant(seconds: 1_795_232_560)
        )
        return String(decoding: message.render(), as: UTF8.self).replacing("\r\n", with: "\n")
    }

    @Test("says what was added, on which phone and when, and what to do") func text() throws {
        let parts = try mail().split(separator: "--=_token\n")
        #expect(parts[0].contains("\nSubject: New sign-in method for Example Bank\n"))
        #expect(
            parts[1] == """
                Content-Type: text/plain; charset=utf-8
                Content-Transfer-Encoding: 7bit

                A new way to sign in to Example App

                A key was added to your account at Example Bank: from now on the
                fingerprint, face or code of the device below signs in to Example App
                as you.

                Added: 2026-11-21 03:42 UTC
                Device: Google Pixel 8
                Application: Example App

                If it was you, there is nothing to do.
                If it was not you, somebody else can use your account: remove the key,
                and sign out everywhere else, in your settings. Open them from
                Example App, or where you are signed in:

                https://auth.example.com/settings


                """
        )
    }

    @Test("what the app says of itself is text, and what it does not say is left out")
    func markup() throws {
        let html = try #require(
            try mail(device: "<img src=x>", application: nil).split(separator: "--=_token\n").last
        )
        #expect(html.contains("<td>&lt;img src=x&gt;</td>"))
        #expect(!html.contains("<td>Application</td>"))
    }
}
