import Assembly
import Configuration
import Crypto
import Persistence
import Postgres
import Runtime

/// The one place of this program that names drivers.
enum Wiring {
    /// What the commands leave to threads that may block: one process, one pool.
    static let blocking = BlockingExecutor()

    static func randomBytes(_ count: Int) -> [UInt8] { SecureRandom.bytes(count) }

    static func sha256(_ bytes: [UInt8]) -> [UInt8] { SHA256.hash(bytes) }

    static func migrator(_ database: DatabaseAddress, on loop: Loop) -> Migrator {
        Migrator(SchemaSteps.all, on: database.settings, loop: loop)
    }
}

/// Where the database is, for commands that open it themselves.
struct DatabaseAddress: Sendable {
    private(set) var settings: ConnectionSettings

    /// The server of section `database`, as its user or as another.
    init(_ database: DatabaseSettings, as user: String?) throws(CommandFailure) {
        do throws(Component.StartFailure) {
            settings = try ConnectionSettings(
                database,
                node: "chancery",
                resolvingOn: Wiring.blocking
            )
        } catch { throw CommandFailure("cannot use \(error.reason)", status: 78) }
        if let user { settings.user = user }
    }

    /// The server behind a socket in this directory.
    init(socketDirectory: String, name: String, user: String) {
        settings = ConnectionSettings(
            host: socketDirectory,
            database: name,
            user: user,
            applicationName: "chancery"
        )
    }
}
