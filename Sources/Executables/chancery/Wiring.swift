import Assembly
import Crypto
import Persistence
import Postgres
import Runtime

/// The one place of this program that names drivers.
enum Wiring {
    static func randomBytes(_ count: Int) -> [UInt8] { SecureRandom.bytes(count) }

    static func sha256(_ bytes: [UInt8]) -> [UInt8] { SHA256.hash(bytes) }

    static func migrator(_ database: DatabaseAddress, on loop: Loop) -> Migrator {
        Migrator(SchemaSteps.all, on: database.settings, loop: loop)
    }
}

/// Where the database is, for commands that open it themselves.
struct DatabaseAddress: Sendable {
    var host: String
    var address: String?
    var port: UInt16 = 5432
    var name: String
    var user: String
    var password: Secret?
    var authoritiesPath: String?

    var settings: ConnectionSettings {
        ConnectionSettings(
            host: host,
            address: address,
            port: port,
            database: name,
            user: user,
            password: password,
            protection: authoritiesPath.map { .verified(authoritiesPath: $0) } ?? .none,
            applicationName: "chancery"
        )
    }
}
