internal import Runtime

/// Section `database`: where PostgreSQL is and as whom to connect.
package struct DatabaseSettings: Sendable {
    /// A directory with a Unix socket, or the name in the server's certificate.
    package let host: String
    /// The numeric address of a name; without one it is resolved at each connection.
    package let address: String?
    package let port: UInt16
    package let name: String
    package let user: String
    package let passwordPath: String?
    /// Authorities for TLS; required unless the server is local.
    package let authoritiesPath: String?
    /// `single-node` says that losing the only server may lose what it acknowledged.
    package let durability: Durability

    /// How many copies an acknowledged event has.
    package enum Durability: String, CaseIterable, Sendable {
        case synchronousStandby = "synchronous-standby"
        case singleNode = "single-node"
    }

    /// Reads the section; findings go to its document.
    package init(_ root: Section, defaultUser: String) {
        let database = root.section(.database)
        host = database.string("host", default: "/run/postgresql")
        address = database.optionalString("address")
        port = UInt16(clamping: database.integer("port", in: 1...65535, default: 5432))
        name = database.string("name", default: "chancery")
        user = database.string("user", default: defaultUser)
        passwordPath = database.optionalString("password_file")
        authoritiesPath = database.optionalString("tls_authorities_file")
        durability = database.choice("durability", default: .synchronousStandby)
        let isSocket = host.hasPrefix("/")
        if isSocket, address != nil {
            database.report("address", "would be used instead of the socket: give host its name")
        }
        if let address, !Self.isNumeric(address) {
            database.report("address", "must be numeric; leave it out, and host is looked up")
        }
        // Where there is an address libpq goes there, whatever the host is called.
        let isLocal = address.map { $0 == "127.0.0.1" || $0 == "::1" } ?? isSocket
        if !isLocal, authoritiesPath == nil {
            database.report("tls_authorities_file", "is required for a remote server")
        }
    }

    private static func isNumeric(_ address: String) -> Bool {
        SocketAddress("\(address):1") != nil || SocketAddress("[\(address)]:1") != nil
    }
}
