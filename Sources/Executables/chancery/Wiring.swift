import Crypto
import Migrations
import Persistence
import Postgres
import Runtime

/// The one place of this program that names drivers.
enum Wiring {
    static func randomBytes(_ count: Int) -> [UInt8] { SecureRandom.bytes(count) }

    static func sha256(_ bytes: [UInt8]) -> [UInt8] { SHA256.hash(bytes) }

    /// Every step of the schema.
    static func steps() throws(CommandFailure) -> [Migration] {
        var steps: [Migration] = []
        for step in Migrations.all {
            guard
                let migration = Migration(version: step.version, name: step.name, sql: step.sql)
            else { throw CommandFailure("migration \(step.version) has no usable name") }
            steps.append(migration)
        }
        return steps
    }

    static func migrator(
        _ database: DatabaseAddress,
        on loop: Loop
    ) throws(CommandFailure) -> Migrator {
        Migrator(try steps(), on: database.settings, loop: loop)
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
