internal import Domain
internal import Issuing
internal import OAuth
internal import Runtime

/// Section `mail`: the relay that takes login mails.
package struct MailSettings: Sendable {
    package let host: String
    /// 465 speaks TLS from the first byte, every other port STARTTLS.
    package let port: UInt16
    package let sender: String
    package let username: String?
    package let passwordPath: String?
    /// TLS may be off for a loopback sink only (Security 10).
    package let isPlain: Bool
    /// How many a node may have to the relay.
    package let connections: Int

    /// Reads the section; findings go to its document.
    package init(_ root: Section) {
        let mail = root.section(.mail)
        let relay = mail.string("relay", hint: "the SMTP server such as mail.example.com:587")
        let parts = relay.split(separator: ":", omittingEmptySubsequences: false)
        host = parts.first.map(String.init) ?? ""
        let number = parts.count == 2 ? DecimalDigits.read(Array(parts[1].utf8)) : nil
        port = number.flatMap { UInt16(exactly: $0) } ?? 0
        if port == 0 || host.isEmpty {
            mail.report("relay", "must be host:port such as mail.example.com:587")
        }
        sender = mail.string("sender", hint: "an address such as no-reply@example.com")
        if mail.has("sender"), EmailAddress(sender.utf8) == nil {
            mail.report("sender", "must be an address such as no-reply@example.com")
        }
        username = mail.optionalString("username")
        passwordPath = mail.optionalString("password_file")
        if username != nil, passwordPath == nil {
            let problem = "required beside username: the relay asks for both"
            mail.report("password_file", problem, kind: .missing)
        }
        if username == nil, passwordPath != nil {
            let problem = "required beside password_file: the relay asks for both"
            mail.report("username", problem, kind: .missing)
        }
        let most = MailDispatch.onTheWayMax
        connections = mail.integer("connections", in: 1...most, default: most)
        isPlain = mail.bool("plain", default: false)
        if isPlain, SocketAddress(relay)?.isLoopback != true {
            mail.report("plain", "TLS may be off for a loopback address only")
        }
    }
}
