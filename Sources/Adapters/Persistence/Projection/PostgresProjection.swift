package import Domain
package import Postgres
internal import Publishing
package import Runtime

// @unchecked: touched on `loop` alone.
/// The revocation read model as its one writer sees it, over a connection of its own.
///
/// The lead is a lock of that session. After any error the connection is given up: the next `lead`
/// makes a new one, and reads where the model stands.
package final class PostgresProjection: @unchecked Sendable {
    /// Its name in the tables of positions.
    package static let name = "revocation"
    static let statementMax = Duration.seconds(3)
    /// Rows of a stream read at once; projection_history.sql says so too.
    static let historyPage = 2000
    /// What one statement of upkeep drops at most; drop_old_revocations.sql and
    /// drop_old_sessions.sql say so too.
    static let upkeepRows: Int64 = 1000
    /// What `chancery.hold_projection` raises.
    private static let superseded = SQLState("ES005")

    private let settings: ConnectionSettings
    let topic: String
    let revocationsTopic: String
    let projects: SettingsCatalogue
    let ourTime: @Sendable () -> Instant
    private let loop: Loop
    let log: Log
    private var connection: Connection?
    /// What was said last of a database that is away: once is enough.
    var lastProblem: PostgresError?

    /// Makes no connection yet; `topic` is the one its offsets belong to, `revocationsTopic` the
    /// one that its outbox goes to, `ourTime` what this machine says.
    package init(
        _ settings: ConnectionSettings,
        topic: String,
        revocationsTopic: String,
        projects: SettingsCatalogue,
        on loop: Loop,
        log: Log,
        ourTime: @escaping @Sendable () -> Instant = {
            Instant(microseconds: WallTime.nowMicroseconds())
        }
    ) {
        self.settings = settings
        self.topic = topic
        self.revocationsTopic = revocationsTopic
        self.projects = projects
        self.ourTime = ourTime
        self.loop = loop
        self.log = log
    }

    /// Whether a connection is up.
    package var isConnected: Bool { connection?.isOpen ?? false }

    var deadline: MonotonicInstant { .now().advanced(by: Self.statementMax) }

    func connect() async throws(ProjectionTrouble) -> Connection {
        if let connection, connection.isOpen { return connection }
        do throws(PostgresError) {
            var settings = settings
            // What changes the model names no schema: a rebuild runs the same text in another.
            settings.options.append(("search_path", "revocation"))
            let made = try await Connection.connect(settings, on: loop, deadline: deadline)
            connection = made
            return made
        } catch { throw give(up: error) }
    }

    func close() {
        connection?.close()
        connection = nil
    }

    func ask<Row>(_ statement: Statement<Row>) async throws(ProjectionTrouble) -> [Row] {
        let connection = try session()
        do { return try await connection.query(statement, deadline: deadline) } catch {
            throw give(up: error)
        }
    }

    func run<Row>(_ statement: Statement<Row>) async throws(ProjectionTrouble) -> [Row] {
        let connection = try session()
        do { return try await connection.execute(statement, deadline: deadline) } catch {
            throw give(up: error)
        }
    }

    /// As `run`, but what the server refuses, perhaps for its time, costs neither connection nor
    /// lead.
    func runUpkeep<Row>(_ statement: Statement<Row>) async throws(ProjectionTrouble) -> [Row] {
        let connection = try session()
        // The server's own limit comes first.
        let deadline = deadline.advanced(by: Self.statementMax)
        do { return try await connection.execute(statement, deadline: deadline) } catch {
            guard connection.isOpen, error.state != nil else { throw give(up: error) }
            log.warning("what has expired stays for now", .field("error", "\(error)"))
            throw .unavailable
        }
    }

    func run(all statements: [Statement<Void>]) async throws(ProjectionTrouble) {
        let connection = try session()
        do { _ = try await connection.transaction(statements, deadline: deadline) } catch {
            throw give(up: error)
        }
    }

    private func session() throws(ProjectionTrouble) -> Connection {
        guard let connection, connection.isOpen else { throw .unavailable }
        return connection
    }

    private func give(up error: PostgresError) -> ProjectionTrouble {
        close()
        if error.state == Self.superseded {
            log.notice("another model has been put in place")
            return .superseded
        }
        if lastProblem != error {
            log.warning("the database is not usable now", .field("error", "\(error)"))
        }
        lastProblem = error
        return .unavailable
    }
}
