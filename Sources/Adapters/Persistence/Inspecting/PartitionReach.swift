package import Postgres

/// How far ahead the partitions of `es.events` reach; what comes later has no place of its own.
package struct PartitionReach: Hashable, Sendable {
    /// Whether rows came into the partition for mistakes: no partition of their time can be made
    /// as long as they stand there.
    package var hasStrays: Bool
    /// Until the newest partition of streams with a bounded life ends.
    package var monthsSeconds: Int64
    /// Until the newest partition of what is spent once ends.
    package var weeksSeconds: Int64
}

extension Statement where Row == PartitionReach {
    /// Asks the catalogue; any role may.
    package static var partitionReach: Self {
        Statement(PackageResources.partition_reach_sql) { row throws(PostgresError) in
            PartitionReach(
                hasStrays: try row.bool(0),
                monthsSeconds: try row.int8(1),
                weeksSeconds: try row.int8(2)
            )
        }
    }
}
