package import Domain
internal import Issuing
internal import Postgres

/// What an issuer does for the tables now and then: partitions ahead, old rows and keys away.
package struct PostgresMaintenance: Sendable {
    /// A login link's key lives a day, whatever became of the link (events.md section 5).
    private static let passingKeySeconds: Int64 = 24 * 3600
    /// How far back keys are looked for, in case nobody ran for a while.
    private static let lookBackSeconds: Int64 = 30 * 24 * 3600

    /// What one statement takes at most; the files say so too.
    ///
    /// No write transaction may hold up the relay for a second.
    private static let biteRows: Int64 = 1000

    /// What was done, and what has to be tried again soon.
    package struct Outcome: Hashable, Sendable {
        /// Partitions added or dropped.
        package var partitions: [String] = []
        /// What could not be done to its end.
        package var failures: [String] = []
    }

    private let database: Database

    /// Works on the connections of `database`.
    package init(_ database: Database) { self.database = database }

    /// Runs once; a part that fails keeps none of the others from its turn.
    ///
    /// Once an hour is enough; several nodes at once do no harm.
    package func run(at now: Instant, by deadline: Deadline) async -> Outcome {
        var outcome = Outcome()
        let parts = [
            ("passing keys", Self.destroyPassingKeys(at: now)),
            ("contexts", Self.bite(PackageResources.drop_old_contexts_sql)),
            ("windows", Self.bite(PackageResources.drop_old_windows_sql)),
            ("snapshots", Self.bite(PackageResources.drop_old_snapshots_sql)),
        ]
        let partitions = Statement(PackageResources.maintain_partitions_sql) {
            row throws(PostgresError) in try row.text(0)
        }
        do throws(StoreError) {
            outcome.partitions = try await database.execute(partitions, by: deadline)
        } catch { outcome.failures.append("partitions: \(error)") }
        for (name, statement) in parts {
            do throws(StoreError) {
                while try await database.execute(statement, by: deadline).first == Self.biteRows {}
            } catch { outcome.failures.append("\(name): \(error)") }
        }
        return outcome
    }

    private static func bite(_ sql: [UInt8], _ parameters: [Parameter] = []) -> Statement<Int64> {
        Statement(sql, parameters) { row throws(PostgresError) in try row.int8(0) }
    }

    private static func destroyPassingKeys(at now: Instant) -> Statement<Int64> {
        bite(
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
