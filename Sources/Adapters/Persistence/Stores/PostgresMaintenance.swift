package import Domain
package import Issuing
internal import Postgres

/// What an issuer does for the tables now and then: partitions ahead, old rows away.
package struct PostgresMaintenance: Sendable {
    private let database: Database

    /// Works on the connections of `database`.
    package init(_ database: Database) { self.database = database }

    /// Runs once, and names the partitions added or dropped.
    ///
    /// Once an hour is enough; several nodes at once do no harm.
    package func run(by deadline: Deadline) async throws(StoreError) -> [String] {
        let partitions = Statement(PackageResources.maintain_partitions_sql) {
            row throws(PostgresError) in try row.text(0)
        }
        let changed = try await database.execute(partitions, by: deadline)
        let old = [PackageResources.drop_old_contexts_sql, PackageResources.drop_old_windows_sql]
        for sql in old { try await database.execute(Statement<Void>(sql), by: deadline) }
        return changed
    }
}
