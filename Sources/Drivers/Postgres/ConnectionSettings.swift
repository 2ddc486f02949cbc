import Glibc
package import Runtime

/// Where a database is and as whom to connect.
///
/// A server that takes no writes is none: a standby answers out of a log that lags.
package struct ConnectionSettings: Sendable {
    /// How the connection is protected.
    package enum Protection: Sendable {
        /// None: Unix sockets and loopback only.
        case none
        /// TLS; the server's name and certificate are checked against this file's authorities.
        case verified(authoritiesPath: String)
    }

    /// Each statement sees what was committed before it began, also what its transaction waited
    /// for: whoever locks and then looks rests on that.
    package static let isolation = (name: "default_transaction_isolation", value: "read committed")

    /// A directory with a Unix socket, or the name in the server's certificate.
    package var host: String
    /// The numeric address; without it `resolution` is asked before each attempt.
    package var address: String?
    /// Finds the addresses of `host`, which are tried by turns; needed when that is a name and
    /// `address` is nil.
    package var resolution: NameResolution?
    package var port: UInt16
    package var database: String
    package var user: String
    package var password: Secret?
    package var protection: Protection
    /// What `pg_stat_activity` shows.
    package var applicationName: String
    /// Server settings of this session, such as `statement_timeout`; they go before those that the
    /// server, the database or the role has.
    package var options: [(name: String, value: String)] = [Self.isolation]
    /// How long an answer may stay away, above every `statement_timeout`, before the connection is
    /// given up.
    package var silenceMax: Duration = .seconds(5)
    /// Asked when an answer stays away; without one only `silenceMax` counts.
    package var pulse: ServerPulse?
    /// What `resolved` found.
    var addresses: [String] = []

    package init(
        host: String,
        address: String? = nil,
        port: UInt16 = 5432,
        database: String,
        user: String,
        password: Secret? = nil,
        protection: Protection = .none,
        applicationName: String
    ) {
        self.host = host
        self.address = address
        self.port = port
        self.database = database
        self.user = user
        self.password = password
        self.protection = protection
        self.applicationName = applicationName
    }

    /// The settings with addresses, where `host` is a name.
    ///
    /// - Throws: `.cannotConnect` when there is none: libpq would hold the loop up to find out.
    func resolved() async throws(PostgresError) -> Self {
        guard host.utf8.first != UInt8(ascii: "/") else { return self }
        var settings = self
        if let address {
            settings.addresses = [address]
        } else if isNumeric {
            settings.addresses = [host]
        } else {
            guard let resolution else { throw .cannotConnect("\(host) has no numeric address") }
            settings.addresses = try await resolution.addresses(of: host)
        }
        return settings
    }

    private var isNumeric: Bool {
        var address = in6_addr()
        return
            unsafe (inet_pton(AF_INET, host, &address) == 1
            || inet_pton(AF_INET6, host, &address) == 1)
    }

    /// The name once for each address: libpq takes the next one when a server refuses, or takes no
    /// writes.
    private var hosts: String {
        Array(repeating: host, count: max(1, addresses.count)).joined(separator: ",")
    }

    /// libpq's names and values.
    var keywords: [(name: String, value: String)] {
        var words: [(name: String, value: String)] = [
            ("host", hosts), ("port", String(port)), ("dbname", database), ("user", user),
            ("application_name", applicationName), ("client_encoding", "UTF8"),
            ("gssencmode", "disable"), ("tcp_user_timeout", "5000"),
            // A standby answers, too, and lags; after a failover a name may lead to one.
            ("target_session_attrs", "read-write"),
            ("keepalives_idle", "10"), ("keepalives_interval", "3"), ("keepalives_count", "3"),
            // No file of a home directory decides anything: this path cannot exist.
            ("passfile", "/dev/null/none"),
        ]
        if !addresses.isEmpty {
            words.append(("hostaddr", addresses.joined(separator: ",")))
        }
        if !options.isEmpty {
            let escaped = options.map { "-c \($0.name)=\(Self.escaped($0.value))" }
            words.append(("options", escaped.joined(separator: " ")))
        }
        switch protection {
        case .none: words.append(("sslmode", "disable"))
        case .verified(let authorities):
            words += [("sslmode", "verify-full"), ("sslrootcert", authorities)]
            if password != nil { words.append(("channel_binding", "require")) }
        }
        return words
    }

    /// A backslash before each blank and backslash, as libpq's `options` wants it.
    private static func escaped(_ value: String) -> String {
        String(value.flatMap { $0 == " " || $0 == "\\" ? ["\\", $0] : [$0] })
    }
}
