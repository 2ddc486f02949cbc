package import Domain
package import Issuing
internal import Postgres

/// What an issuer does for the tables now and then: partitions ahead, old rows and keys away.
package struct PostgresMaintenance: Sendable {
    /// A login link's key lives a day, whatever became of the link (events.md section 5).
    private static let passingKeySeconds: Int64 = 24 * 3600
    /// How far back keys are looked for, in case nobody ran for a while.
    private static let lookBackSeconds: Int64 = 30 * 24 * 3600

    private let database: Database

    /// Works on the connections of `database`.
    package init(_ database: Database) { self.database = database }

    /// Runs once, and names the partitions added or dropped.
    ///
    /// Once an hour is enough; several nodes at once do no harm.
    package func run(at now: Instant, by deadline: Deadline)
        async throws(StoreError) -> [String]
    {
        let partitions = Statement(PackageResources.maintain_partitions_sql) {
            row throws(PostgresError) in try row.text(0)
        }
        let changed = try await database.execute(partitions, by: deadline)
        let old = [
            PackageResources.drop_old_contexts_sql, PackageResources.drop_old_windows_sql,
            PackageResources.drop_old_snapshots_sql,
        ]
        for sql in old { try await database.execute(Statement<Void>(sql), by: deadline) }
        try await database.execute(Self.destroyPassingKeys(at: now), by: deadline)
        return changed
    }

    private static func destroyPassingKeys(at now: Instant) -> Statement<Void> {
        Statement(
            PackageResources.destroy_passing_keys_sql,
            [
                .uuid((floor(now.adding(seconds: -lookBackSeconds)), 0)),
                .uuid((floor(now.adding(seconds: -passingKeySeconds)), 0)),
            ]
        )
    }

    /// The first half of the lowest time-ordered id of an instant.
    private static func floor(_ instant: Instant) -> UInt64 {
        UInt64(clamping: instant.milliseconds) << 16
    }
}
