internal import Domain
internal import Postgres

extension Statement where Row == LogRow {
    /// What every project's configuration and keys are now, in the order of their streams.
    static var projectConfigurations: Self {
        Statement(PackageResources.project_configurations_sql, read: logRow)
    }
}

/// A client that a document brought and the one before had not.
struct AddedClient: Sendable {
    let project: Int16
    let client: String
    let at: Instant
}

extension Statement where Row == AddedClient {
    /// Those of the last two hours, of each project in the order in which they came.
    static var addedClients: Self {
        Statement(PackageResources.added_clients_sql) { row throws(PostgresError) in
            AddedClient(
                project: try row.int2(0),
                client: try row.text(1),
                at: Instant(microseconds: try row.timestamp(2))
            )
        }
    }
}
