import Assembly
import Configuration
import Postgres
import Runtime

/// Where the database is, for commands that open it themselves.
struct DatabaseAddress: Sendable {
    private(set) var settings: ConnectionSettings

    /// The server of section `database`, as its user or as another.
    init(_ database: DatabaseSettings, as user: String?) throws(CommandFailure) {
        do throws(Component.StartFailure) {
            settings = try ConnectionSettings(database, node: "chancery")
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
