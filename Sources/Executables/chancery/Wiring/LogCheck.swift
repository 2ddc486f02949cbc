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
        let next: Int64
        do throws(PostgresError) {
            guard let index else { return try await log.whole(showing: max, tell) }
            next = try await log.nextNumber()
            if index <= next { return try await log.published(since: index, showing: max, tell) }
        } catch { throw Self.failure(error) }
        throw CommandFailure(
            "--since is beyond the published order, in which \(next) is the next number",
            remedy: "Where a run before has said that number, the ledger and the relay's cursor "
                + "have gone back since: by a restore to an earlier moment, or by somebody's hand."
        )
    }

    private static func failure(_ error: PostgresError) -> CommandFailure {
        guard error.state == .insufficientPrivilege else {
            return CommandFailure("PostgreSQL: \(error)", status: error.exitStatus)
        }
        return CommandFailure(
            "PostgreSQL: \(error)",
            remedy: "Name a role that inherits log_reader by --user: the handbook's Install, "
                + "step 5, makes one."
        )
    }
}
