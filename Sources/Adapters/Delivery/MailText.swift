internal import Domain
internal import Issuing
internal import Runtime

/// What a mail says, in constants with the values escaped for where they stand.
struct MailText {
    let subject: String
    let text: String
    let html: String

    init(_ mail: Mail) {
        switch mail {
        case .login(let mail): self.init(mail)
        case .biometricKey(let mail): self.init(mail)
        }
    }

    init(subject: String, text: String, html: String) {
        self.subject = subject
        self.text = text
        self.html = html
    }

    /// Something known about what the mail is about.
    typealias Fact = (name: String, value: String)

    static func lines(_ facts: [Fact]) -> String {
        facts.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }

    static func table(_ facts: [Fact]) -> String {
        let rows = facts.map { "<tr><td>\($0.name)</td><td>\(escape($0.value))</td></tr>" }
        return "<table cellpadding=\"4\">\(rows.joined())</table>"
    }

    /// `content` is markup.
    static func page(_ title: String, _ content: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head><meta charset="utf-8"><title>\(escape(title))</title></head>
        <body style="font-family:sans-serif;color:#1a1a1a;max-width:34em">
        <h1 style="font-size:1.3em">\(escape(title))</h1>
        \(content)
        </body>
        </html>

        """
    }

    static func escape(_ text: String) -> String {
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): escaped += "&amp;".utf8
            case UInt8(ascii: "<"): escaped += "&lt;".utf8
            case UInt8(ascii: ">"): escaped += "&gt;".utf8
            case UInt8(ascii: "\""): escaped += "&quot;".utf8
            case UInt8(ascii: "'"): escaped += "&#39;".utf8
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// Such as `2026-11-21 03:47 UTC`.
    static func time(_ instant: Instant) -> String {
        let text = CivilTime(microseconds: instant.microseconds).rfc3339
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }
}
