internal import Domain
internal import Issuing
internal import Runtime

/// What a login mail says, in constants with the values escaped for where they stand.
struct LoginMailText {
    let subject: String
    let text: String
    let html: String

    init(_ mail: LoginMail) {
        subject = "Sign in to \(mail.projectName)"
        var facts = [("Requested", Self.time(mail.requestedAt.microseconds))]
        if let device = mail.device { facts.append(("Device", device)) }
        if let place = mail.place { facts.append(("Place", place)) }
        let minutes = mail.validMinutes == 1 ? "1 minute" : "\(mail.validMinutes) minutes"
        let life = "The link works once, for \(minutes)."
        text = """
            Sign in to \(mail.clientName)

            Somebody asked to sign in to \(mail.clientName) (\(mail.projectName)) with this
            address. If it was you, open this link and approve:

            \(mail.link)

            \(life)

            \(facts.map { "\($0.0): \($0.1)" }.joined(separator: "\n"))

            If it was not you, do nothing: without the link nobody gets in.
            Do not pass this mail on.

            """
        html = Self.html(mail, facts, life)
    }

    private static func html(
        _ mail: LoginMail,
        _ facts: [(name: String, value: String)],
        _ life: String
    ) -> String {
        let client = escape(mail.clientName)
        let link = escape(mail.link)
        let rows = facts.map { "<tr><td>\($0.name)</td><td>\(escape($0.value))</td></tr>" }
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head><meta charset="utf-8"><title>Sign in to \(client)</title></head>
            <body style="font-family:sans-serif;color:#1a1a1a;max-width:34em">
            <h1 style="font-size:1.3em">Sign in to \(client)</h1>
            <p>Somebody asked to sign in to \(client) (\(escape(mail.projectName))) with this
            address. If it was you, open this link and approve:</p>
            <p><a href="\(link)">Review the sign-in</a></p>
            <p style="word-break:break-all">\(link)</p>
            <p>\(life)</p>
            <table cellpadding="4">\(rows.joined())</table>
            <p>If it was not you, do nothing: without the link nobody gets in.
            Do not pass this mail on.</p>
            </body>
            </html>

            """
    }

    private static func escape(_ text: String) -> String {
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
    private static func time(_ microseconds: Int64) -> String {
        let text = CivilTime(microseconds: microseconds).rfc3339
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }
}
