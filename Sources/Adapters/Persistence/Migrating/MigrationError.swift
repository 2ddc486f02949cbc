package import Postgres

/// Why a schema cannot be brought to, or is not in, the state this program needs.
package enum MigrationError: Error, Hashable, CustomStringConvertible {
    /// A step that has run here was edited afterwards.
    case changed(Migration)
    /// The database has taken a step this program does not know: it is newer.
    case unknown(version: Int32, name: String)
    /// The database has taken a later step and has no record of these.
    case unrecorded([Migration])
    /// Steps are missing: the database is older than this program.
    case pending([Migration])
    /// A read model is being rebuilt as a copy of tables that steps may change.
    case rebuilding
    /// A step, or new partitions, gave up waiting for locks of these; nothing of it is in, and what
    /// came before it is.
    case blocked(String, by: [LockHolder])
    /// A step failed at a line of its file; nothing of it is in, those before it are.
    case failed(Migration, ServerError, line: Int?)
    /// The database could not be asked.
    case database(PostgresError)

    /// What is wrong and what to do about it.
    package var description: String {
        switch self {
        case .changed(let step):
            "\(step.fileName) is not the file that was applied; restore it, and put the change into"
                + " a new step"
        case .unknown(let version, let name):
            "the database has step \(version) (\(name)), which this program does not know;"
                + " run a newer program"
        case .unrecorded(let steps):
            "chancery.migrations lacks \(Self.names(steps)), although a later step is there;"
                + " put the record back as `chancery migrate` wrote it, or restore the database"
        case .pending(let steps):
            "the database lacks \(Self.names(steps)); run `chancery migrate`"
        case .rebuilding:
            "`chancery replay` is under way; let it end, or end it, then run `chancery migrate`"
        case .blocked(let what, let holders):
            "\(what) waits for a lock that \(Self.named(holders)) holds; whoever came later would"
                + " wait behind it, so it gave up. Let that transaction end, or end it"
                + " (pg_terminate_backend), then run `chancery migrate`"
        case .failed(let step, let error, let line):
            "\(step.fileName)\(line.map { ":\($0)" } ?? ""): \(error)"
        case .database(let error): "the database could not be asked: \(error)"
        }
    }

    /// Whether the role may not read what was asked.
    package var isRefusedRole: Bool {
        if case .database(let error) = self { error.state == .insufficientPrivilege } else { false }
    }

    /// Whether the transaction ended for its locks: `lock_timeout` passed, or each of two waited
    /// for the other.
    var isForLocks: Bool {
        switch self {
        case .failed(_, let error, _): error.state.isRetryable
        case .database(let error): error.state?.isRetryable ?? false
        case .changed, .unknown, .unrecorded, .pending, .rebuilding, .blocked: false
        }
    }

    private static func named(_ holders: [LockHolder]) -> String {
        let names = holders.map(\.description).joined(separator: " and ")
        return names.isEmpty ? "somebody" : names
    }

    private static func names(_ steps: [Migration]) -> String {
        steps.map(\.fileName).joined(separator: ", ")
    }
}
