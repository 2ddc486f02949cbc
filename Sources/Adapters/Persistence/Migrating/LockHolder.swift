internal import Postgres

/// Somebody for whose transaction a step waits.
package struct LockHolder: Hashable, Sendable, CustomStringConvertible {
    /// The server process, as `pg_stat_activity` names it; 0: a prepared transaction.
    package var process: Int32
    package var role: String
    package var application: String
    /// How long its transaction lasts; nil when this role is not told.
    package var seconds: Int64?

    /// Such as `process 4711 (pg_dump, role backup), for 312 s`.
    package var description: String {
        guard process != 0 else { return "a prepared transaction (pg_prepared_xacts)" }
        let names = [application, role.isEmpty ? "" : "role \(role)"].filter { !$0.isEmpty }
        let who = names.isEmpty ? "" : " (\(names.joined(separator: ", ")))"
        return "process \(process)\(who)\(seconds.map { ", for \($0) s" } ?? "")"
    }
}

extension Statement where Row == LockHolder {
    static func lockHolders(of process: Int32) -> Self {
        Statement(PackageResources.lock_holders_sql, [.int4(process)]) {
            row throws(PostgresError) in
            LockHolder(
                process: try row.int4(0),
                role: try row.text(1),
                application: try row.text(2),
                seconds: try row.optionalInt8(3)
            )
        }
    }
}
