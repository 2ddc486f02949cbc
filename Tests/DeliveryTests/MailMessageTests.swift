import Delivery
import Domain
import Foundation
import Issuing
import Testing

@Suite("A login mail") struct MailMessageTests {
    static let link =
        "https://auth.example.com/clients/client_a/flows/verify_login_link?token=ll_"
        + String(repeating: "A", count: 64)

    private func mail(
        project: String = "Example Bank",
        client: String = "Example App",
        device: String? = "Safari on iOS",
        place: String? = "Germany"
    ) throws -> String {
        let mail = LoginMail(
            to: try #require(EmailAddress(Array("a@example.com".utf8))),
            projectName: project,
            clientName: client,
            link: Self.link,
            validMinutes: 10,
            requestedAt: Instant(seconds: 1_795_232_554),
            device: device,
            place: place
        )
        let message = MailMessage(
            .login(mail),
            from: try #require(EmailAddress(Array("noreply@auth.example.com".utf8))),
            token: "token",
            at: Instant(seconds: 1_795_232_560)
        )
        let bytes = message.render()
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
            #expect(line.last == 0x0D)
            #expect(line.count <= 999)
        }
        #expect(bytes.allSatisfy { $0 < 0x80 }, "no relay needs 8BITMIME")
        #expect(!bytes.contains(0))
        return String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
    }

    @Test("headers of a plain name") func headers() throws {
        let head = try mail().components(separatedBy: "\n\n")[0]
        #expect(
            head == """
                From: "Example Bank" <noreply@auth.example.com>
                To: <a@example.com>
                Subject: Sign in to Example Bank
                Date: Sat, 21 Nov 2026 03:42:40 +0000
                Message-ID: <token@auth.example.com>
                Auto-Submitted: auto-generated
                MIME-Version: 1.0
                Content-Type: multipart/alternative; boundary="=_token"
                """
        )
    }

    @Test("the text part tells who asks, what for and since when") func text() throws {
        let parts = try mail().components(separatedBy: "--=_token\n")
        #expect(parts.count == 3)
        #expect(
            parts[1] == """
                Content-Type: text/plain; charset=utf-8
                Content-Transfer-Encoding: 7bit

                Sign in to Example App

                Somebody asked to sign in to Example App (Example Bank) with this
                address. If it was you, open this link and approve:

                \(Self.link)

                The link works once, for 10 minutes.

                Requested: 2026-11-21 03:42 UTC
                Device: Safari on iOS
                Place: Germany

                If it was not you, do nothing: without the link nobody gets in.
                Do not pass this mail on.


                """
        )
        #expect(parts[2].hasSuffix("--=_token--\n"))
    }

    @Test("what is not known is left out") func unknown() throws {
        let text = try mail(device: nil, place: nil)
        #expect(!text.contains("Device"))
        #expect(!text.contains("Place"))
    }

    @Test("HTML is escaped, and loads nothing") func html() throws {
        let text = try mail(client: #"<script>alert("&")</script>'"#, device: "<b>")
        let html = text.components(separatedBy: "--=_token\n")[2]
        #expect(!html.contains("<script>"))
        #expect(html.contains("&lt;script&gt;alert(&quot;&amp;&quot;)&lt;/script&gt;&#39;"))
        #expect(html.contains("<td>&lt;b&gt;</td>"))
        #expect(html.contains("<a href=\"\(Self.link)\">"))
        #expect(!html.contains("<img") && !html.contains("src=") && !html.contains("url("))
    }

    @Test("names with other letters travel as encoded words and quoted-printable") func letters()
        throws
    {
        let text = try mail(project: "Crédit Mutuel", client: "Sparkasse Köln")
        #expect(
            text.hasPrefix(
                "From: =?utf-8?B?Q3LDqWRpdCBNdXR1ZWw=?= <noreply@auth.example.com>\n"
            )
        )
        #expect(text.contains("Subject: =?utf-8?B?U2lnbiBpbiB0byBDcsOpZGl0IE11dHVlbA==?=\n"))
        #expect(text.contains("Content-Transfer-Encoding: quoted-printable"))
        #expect(text.contains("Sign in to Sparkasse K=C3=B6ln"))
        let unfolded = text.replacing("=\n", with: "")
        #expect(unfolded.contains(Self.link.replacing("=", with: "=3D")))
        for line in text.components(separatedBy: "\n") { #expect(line.utf8.count <= 98) }
    }

    @Test("a name of 80 wide characters is folded into words of at most 75") func folded() throws {
        let text = try mail(project: String(repeating: "漢", count: 80))
        let subject = try #require(text.firstMatch(of: /Subject: ((?:.*\n )*.*)\n/))
        let words = subject.1.components(separatedBy: "\n ")
        #expect(words.count > 1)
        var decoded = Data()
        for word in words {
            #expect(word.utf8.count <= 75)
            let content = try #require(word.firstMatch(of: /=\?utf-8\?B\?(.*)\?=/)).1
            let bytes = try #require(Data(base64Encoded: String(content)))
            #expect(String(data: bytes, encoding: .utf8) != nil, "no character is cut")
            decoded += bytes
        }
        let expected = "Sign in to " + String(repeating: "漢", count: 80)
        #expect(String(data: decoded, encoding: .utf8) == expected)
    }

    @Test(
        "nothing in a name begins another field or part",
        arguments: [
            "Bank\r\nBcc: x@example.org", "Bank\nBcc: x@example.org", "Bank\r\n\r\n--=_token--",
            "Bank\u{0}", "Bank\" <x@example.org>, \"", "=?utf-8?Q?=0D=0ABcc:_x?=",
        ]
    )
    func injection(_ name: String) throws {
        let text = try mail(project: name, client: name)
        let head = text.components(separatedBy: "\n\n")[0]
        let fields = head.components(separatedBy: "\n").filter { !$0.hasPrefix(" ") }
        #expect(
            fields.map { $0.components(separatedBy: ":")[0] } == [
                "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version",
                "Content-Type",
            ]
        )
        #expect(
            fields[0].hasSuffix(" <noreply@auth.example.com>") || fields[0].hasPrefix("From: =")
        )
        #expect(text.components(separatedBy: "\n--=_token").count == 4)
    }
}
