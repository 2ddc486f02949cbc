package import Domain
package import Issuing
internal import Runtime

/// A mail with a text and an HTML part (RFC 5322, RFC 2046 section 5.1.4).
package struct MailMessage: Sendable {
    private let sender: EmailAddress
    private let senderName: String
    private let recipient: EmailAddress
    private let content: MailText
    private let token: String
    private let sentAt: Instant

    /// Writes `mail`; `token`, ASCII letters, is the message id and keeps the parts apart.
    package init(_ mail: Mail, from sender: EmailAddress, token: String, at now: Instant) {
        self.sender = sender
        senderName = mail.projectName
        recipient = mail.to
        content = MailText(mail)
        self.token = token
        sentAt = now
    }

    /// The bytes to hand over: CRLF line ends, ASCII alone, no line longer than 998 bytes.
    package func render() -> [UInt8] {
        let boundary = "=_\(token)"
        var mail: [UInt8] = []
        header("From", MailHeader.mailbox(senderName, sender.bytes), to: &mail)
        header("To", "<\(String(decoding: recipient.bytes, as: UTF8.self))>", to: &mail)
        header("Subject", MailHeader.text(content.subject), to: &mail)
        header("Date", date, to: &mail)
        header("Message-ID", "<\(token)@\(domain)>", to: &mail)
        // Neither an absence note nor a bounce of a list may answer (RFC 3834 section 5).
        header("Auto-Submitted", "auto-generated", to: &mail)
        header("MIME-Version", "1.0", to: &mail)
        header("Content-Type", "multipart/alternative; boundary=\"\(boundary)\"", to: &mail)
        mail += "\r\n".utf8
        for (type, body) in [("text/plain", content.text), ("text/html", content.html)] {
            mail += "--\(boundary)\r\n".utf8
            header("Content-Type", "\(type); charset=utf-8", to: &mail)
            let isPlain = QuotedPrintable.isNeedless(for: body)
            let encoding = isPlain ? "7bit" : "quoted-printable"
            header("Content-Transfer-Encoding", encoding, to: &mail)
            mail += "\r\n".utf8
            mail += isPlain ? QuotedPrintable.lines(of: body) : QuotedPrintable.encode(body)
        }
        mail += "--\(boundary)--\r\n".utf8
        return mail
    }

    private func header(_ name: String, _ value: String, to mail: inout [UInt8]) {
        mail += "\(name): \(value)\r\n".utf8
    }

    private var date: String {
        String(CivilTime(microseconds: sentAt.microseconds).httpDate.dropLast(3)) + "+0000"
    }

    private var domain: String {
        let domain = sender.bytes.split(separator: UInt8(ascii: "@")).last ?? []
        return String(decoding: domain, as: UTF8.self)
    }
}
