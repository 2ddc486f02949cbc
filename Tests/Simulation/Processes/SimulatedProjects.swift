import Domain
import Issuing
import Persistence
import Postgres
import Runtime

// @unchecked: touched by the one thread that runs the simulation.
/// The configuration as one node knows it: read at its start, and again when a conflict says so.
final class SimulatedProjects: ProjectDirectory, @unchecked Sendable {
    private let installation: Installation
    private let connection: SimulatedLogConnection
    private var current: Project

    init(_ installation: Installation, _ process: SimulatedProcess) {
        self.installation = installation
        connection = SimulatedLogConnection(
            world: installation.world,
            database: installation.database,
            process: process
        )
        current = installation.project(version: 0)
    }

    var number: ProjectNumber { installation.projectNumber }

    var configuration: StreamID { current.configuration.stream }

    func project(host: String) -> Project? { current }

    func project(id: ProjectID) -> Project? { current }

    var all: [Project] { [current] }

    func reload(_ number: ProjectNumber, by deadline: Deadline) async throws(StoreError) {
        Visit.current?.waits(for: .comparing)
        defer { Visit.current?.goesOn() }
        let stream = current.configuration.stream
        let heads: [Int32]
        do {
            heads = try await connection.heads(
                of: [stream],
                deadline: MonotonicInstant(nanoseconds: deadline.nanoseconds)
            )
        } catch { throw .unavailable }
        guard let version = heads.first, version >= current.configuration.version else { return }
        current = installation.project(version: version)
    }

    func withCurrentKeys(_ project: Project, by deadline: Deadline)
        async throws(StoreError) -> Project
    {
        try await reload(project.number, by: deadline)
        return current
    }
}
