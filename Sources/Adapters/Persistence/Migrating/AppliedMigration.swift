internal import Postgres
internal import Runtime

/// A row of `chancery.migrations`.
struct AppliedMigration: Hashable, Sendable {
    var version: Int32
    var name: String
    var checksum: String
}

extension Statement where Row == AppliedMigration {
    static var appliedMigrations: Self {
        Statement(PackageResources.applied_migrations_sql) { row throws(PostgresError) in
            AppliedMigration(
                version: try row.int4(0),
                name: try row.text(1),
                checksum: try row.text(2)
            )
        }
    }
}

extension Statement where Row == Bool {
    static var holdOffRebuilds: Self {
        Statement(PackageResources.hold_off_rebuilds_sql) { row throws(PostgresError) in
            try row.bool(0)
        }
    }

    static func isTold(topic: String, on cluster: String) -> Self {
        Statement(
            PackageResources.is_told_sql,
            [.text(cluster), .text(topic), .timestamp(WallTime.nowMicroseconds())]
        ) { row throws(PostgresError) in try row.bool(0) }
    }

    static var hasMigrations: Self {
        Statement(PackageResources.has_migrations_sql) { row throws(PostgresError) in
            try row.bool(0)
        }
    }
}

extension Statement where Row == String {
    /// A row for each that was made.
    static var ensurePartitions: Self {
        Statement(PackageResources.ensure_partitions_sql) { row throws(PostgresError) in
            try row.text(0)
        }
    }

    /// A row for each that `ensurePartitions` would make.
    static var missingPartitions: Self {
        Statement(PackageResources.missing_partitions_sql) { row throws(PostgresError) in
            try row.text(0)
        }
    }
}

extension Statement where Row == Void {
    static var lockMigrations: Self { Statement(PackageResources.lock_migrations_sql) }

    static func recordMigration(_ step: Migration) -> Self {
        Statement(
            PackageResources.record_migration_sql,
            [.int4(step.version), .text(step.name), .text(step.checksum)]
        )
    }
}
