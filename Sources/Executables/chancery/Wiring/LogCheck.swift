import Persistence
import Postgres
import Runtime

/// `LogVerification` with this program's failures.
struct LogCheck: Sendable {
    private let log: LogVerification

    /// Connects as the user of the settings, or as another.
    init(_ settings: OperatorSettings, user: String?, on loop: Loop)
        async throws(CommandFailure)
    {
        let address = try settings.address(user: user)
        do throws(PostgresError) {
            log = try await LogVerification(address.settings, on: loop)
        } catch { throw Self.failure(error) }
    }

    func close() { log.close() }

    /// The whole log, or what was published with this number or a later one.
    func run(since index: Int64?, showing max: Int, _ tell: (LogVerification.Report) -> Void)
        async throws(CommandFailure) -> LogVerification.Report
    {
        do throws(PostgresError) {
            guard let index else { return try await log.whole(showing: max, tell) }
            return try await log.published(since: index, showing: max, tell)
        } catch { throw Self.failure(error) }
    }

    private static func failure(_ error: PostgresError) -> CommandFailure {
        guard error.state == .insufficientPrivilege else {
            return CommandFailure("PostgreSQL: \(error)", status: error.exitStatus)
        }
        return CommandFailure(
            "PostgreSQL: \(error)",
            remedy: "Name a role that inherits log_reader by --user: the handbook's Production, "
                + "The database, makes one."
        )
    }
}
