import Persistence

/// What lasts too long in the server: the relay waits for it, or dead rows stay because of it.
enum HorizonCheck {
    /// Who is told how long other roles' transactions last, and of standbys.
    static let whoIsTold =
        "Name a superuser by --user, or a role that inherits pg_read_all_stats and log_reader."

    private static let namedMax = 10

    static func diagnoses(_ holders: [HorizonHolder], isToldOfAll: Bool) -> [Diagnosis] {
        var found = holders.filter(\.isHindrance).prefix(namedMax).map(diagnosis)
        if !isToldOfAll {
            found.append(
                .unseen(
                    "how long transactions of other roles last, this role is not told: "
                        + "only those are named that many others have followed",
                    whoIsTold
                )
            )
        }
        return found.isEmpty ? [.ok("no transaction lasts, and no slot lags")] : found
    }

    private static func diagnosis(_ holder: HorizonHolder) -> Diagnosis {
        let span = holder.seconds.map { "\($0) s" } ?? "\(holder.transactions) transactions"
        let waits =
            holder.isWriter
            ? "nothing newer is published meanwhile"
            : "dead rows stay meanwhile, and relay and projector slow down"
        switch holder.kind {
        case .session:
            let did = holder.isWriter ? "written" : "read"
            return .warning(
                "\(described(holder)) has \(did) in one transaction for \(span): \(waits)",
                "Let it end, or end it: SELECT pg_terminate_backend(\(holder.process)). "
                    + "A dump disturbs nobody on a standby without hot_standby_feedback."
            )
        case .standby:
            return .fault(
                "\(described(holder)) has waited for the synchronous standby for \(span): "
                    + "no commit is acknowledged, and nothing newer is published",
                "Bring the standby back. Or say durability: single-node for every process, so that "
                    + "it can be started again, then take it out of synchronous_standby_names. Do "
                    + "not end the process: what it commits would be seen, and be nowhere else."
            )
        case .prepared:
            return .warning(
                "prepared transaction \(holder.name) of \(holder.role) is \(span) old: \(waits)",
                "In its database: COMMIT PREPARED or ROLLBACK PREPARED. Then "
                    + "max_prepared_transactions = 0."
            )
        case .slot:
            return .warning(
                "replication slot \(holder.name) is \(span) behind: \(waits)",
                "Let its reader catch up, or drop it: SELECT pg_drop_replication_slot(name)."
            )
        }
    }

    private static func described(_ holder: HorizonHolder) -> String {
        let role = holder.role.isEmpty ? "" : ", role \(holder.role)"
        return "process \(holder.process) (\(holder.name)\(role))"
    }
}
