package import Domain
internal import Postgres
package import Publishing
internal import Runtime

/// The revocation read model as the feed reads it: on every node, active or standing by.
package final class PostgresRevocationFeed: RevocationFeed {
    private static let pageMax = Duration.seconds(3)

    private let database: Database
    private let known = Guarded<StreamID?>(nil)

    /// Reads through `database`.
    package init(_ database: Database) { self.database = database }

    package var log: StreamID? { known.current }

    package func page(of project: ProjectNumber, after: Int64, limit: Int) async -> RevocationPage?
    {
        let deadline = MonotonicInstant.now().advanced(by: Self.pageMax)
        do {
            let keeper = try database.keeper()
            let name = PostgresProjection.name
            guard
                let state = try await keeper.query(.projectionLog(name), deadline: deadline).first
            else { return nil }
            known.replace(with: state.log)
            let items = try await keeper.query(
                .feed(project, after: after, upTo: state.frontier, limit: limit),
                deadline: deadline
            )
            return RevocationPage(
                items: items,
                frontier: state.frontier,
                watermark: state.watermark
            )
        } catch { return nil }
    }
}
