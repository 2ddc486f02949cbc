package import Domain
package import Postgres

extension ServerInspection {
    /// Users who were erased and whose own key is not destroyed, a thousand at most.
    package func unfinishedErasures() async throws(PostgresError) -> [StreamID] {
        try await rows(.unfinishedErasures(since: Instant(microseconds: 0)))
    }
}

extension Statement where Row == StreamID {
    /// The same, of erasures that were recorded since an instant.
    static func unfinishedErasures(since: Instant) -> Self {
        Statement(
            PackageResources.unfinished_erasures_sql,
            [.timestamp(since.microseconds)]
        ) { row throws(PostgresError) in StreamID(halves: try row.uuid(0)) }
    }
}
