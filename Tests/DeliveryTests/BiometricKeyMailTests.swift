import Domain
import Issuing
import Testing

@testable import Delivery

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
                Device, as it calls itself: Google Pixel 8
                Application, as it calls itself: Example App

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
        #expect(html.contains("<td>img src x</td>"), "\(html)")
        #expect(!html.contains("<td>Application"))
    }

    @Test(
        "what it says of itself is no link and no telephone number",
        arguments: [
            ("Samsung SM-G991B (5G)", "Samsung SM-G991B (5G)"), ("iPhone15,2", "iPhone15,2"),
            ("Zoë's 小米 13", "Zoë's 小米 13"), ("Phone 2.0", "Phone 2.0"),
            ("https://evil.example/x?y", "https evilexample x y"), ("evil..com", "evilcom"),
            ("evil.\u{0301}com", "evil\u{0301}com"), ("evil\u{3002}com", "evil com"),
            ("evil.1.com", "evil.1com"), ("1234567.com", "123456com"),
            ("a@evil.example", "a evilexample"), ("192.168.10.1", "192.168"),
            ("Call +49 30 1234567", "Call +49 30 12"), ("0800-123-4567", "0800-12-"),
            ("(030) 1 2 3 4 5 6 7", "(030) 1 2 3"), ("a.", "a"),
        ]
    )
    func own(_ text: String, _ shown: String) {
        #expect(MailText.said(text).map { Array($0.utf8) } == Array(shown.utf8))
    }

    @Test("where nothing is left of it there is no line", arguments: ["///", "..", ""])
    func empty(_ text: String) throws {
        #expect(MailText.said(text) == nil)
        let said = try mail(device: text)
        #expect(!said.contains("Device"))
    }
}
