package import Domain
package import Issuing
internal import Postgres

/// Where the log's projects begin, read from the index of the settings.
package struct PostgresProjectOrigins: ProjectOrigins {
    private let database: Database

    /// Reads on the connections of `database`.
    package init(_ database: Database) { self.database = database }

    package func firstProjects(by deadline: Deadline) async throws(StoreError) -> [StreamID] {
        try await database.query(.firstConfigurations(of: .first), by: deadline)
    }
}
