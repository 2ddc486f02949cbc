package import Domain

/// Where the log's projects begin, whatever root secret named their streams (decision 0165).
package protocol ProjectOrigins: Sendable {
    /// The streams in which the configuration of the first project begins; more than one: as many
    /// root secrets have made it; none: there is no project.
    func firstProjects(by deadline: Deadline) async throws(StoreError) -> [StreamID]
}
