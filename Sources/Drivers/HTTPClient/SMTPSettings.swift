package import Runtime

/// Where mail is handed over, and how it is protected on the way.
package struct SMTPSettings: Sendable {
    /// What protects the connection.
    package enum Protection: String, Sendable, CaseIterable {
        /// TLS from the first byte (port 465, RFC 8314).
        case tls
        /// STARTTLS, and nothing without it (port 587).
        case startTLS = "starttls"
        /// None at all: for a mail sink on this machine.
        case none
    }

    /// Why settings are refused.
    package enum Refusal: Error, Hashable {
        /// `none` outside the loopback addresses (Security 10).
        case unprotected
        /// The host is empty or holds bytes that are no host's.
        case host
        /// The password holds a NUL.
        case password
    }

    package let host: String
    package let port: UInt16
    package let protection: Protection
    /// The name this client greets with, a host name.
    package let greeting: String
    package let username: String?
    package let password: Secret?
    /// A file of certificates to trust instead of the system's.
    package let authorities: String?

    /// Checks that mail does not leave the machine unprotected.
    package init(
        host: String,
        port: UInt16,
        protection: Protection,
        greeting: String = "localhost",
        username: String? = nil,
        password: Secret? = nil,
        authorities: String? = nil
    ) throws(Refusal) {
        guard Self.isHost(host), Self.isHost(greeting) else { throw .host }
        if protection == .none, !Self.isLoopback(host) { throw .unprotected }
        let hasNUL = password?.withBytes { bytes in bytes.indices.contains { bytes[$0] == 0 } }
        if hasNUL == true { throw .password }
        self.host = host
        self.port = port
        self.protection = protection
        self.greeting = greeting
        self.username = username
        self.password = password
        self.authorities = authorities
    }

    /// With brackets where a URL needs them.
    var url: String {
        let scheme = protection == .tls ? "smtps" : "smtp"
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return "\(scheme)://\(name):\(port)/\(greeting)"
    }

    private static func isHost(_ text: String) -> Bool {
        1...253 ~= text.utf8.count
            && text.utf8.allSatisfy {
                0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0 || $0 == 0x2E
                    || $0 == 0x2D || $0 == 0x3A
            }
    }

    /// An address, because a name may begin like one: `127.mail.example.com`.
    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || SocketAddress(host: host)?.isLoopback == true
    }
}
