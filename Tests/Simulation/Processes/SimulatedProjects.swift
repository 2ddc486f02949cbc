import Domain
import EventFormat
import Issuing
import Persistence
import Postgres
import Runtime

// @unchecked: touched by the one thread that runs the simulation.
/// The configuration and the keys as one node knows them: read at its start, and again when a
/// conflict says so.
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

    var ring: StreamID { current.keysStream }

    func project(host: String) -> Project? { current }

    func project(id: ProjectID) -> Project? { current }

    var all: [Project] { [current] }

    func reload(_ number: ProjectNumber, by deadline: Deadline) async throws(StoreError) {
        Visit.current?.waits(for: .comparing)
        defer { Visit.current?.goesOn() }
        let deadline = MonotonicInstant(nanoseconds: deadline.nanoseconds)
        let (configuration, ring) = (current.configuration.stream, current.keysStream)
        let heads: [Int32]
        let events: [SigningKeyRing.Event]
        do {
            heads = try await connection.heads(of: [configuration], deadline: deadline)
            let rows = try await connection.history(of: ring, after: 0, deadline: deadline)
            events = rows.compactMap(Self.event)
        } catch { throw .unavailable }
        // An answer may be overtaken by a later one.
        let version = max(heads.first ?? 0, current.configuration.version)
        let keys = Int32(events.count) < current.keysVersion ? nil : Self.fold(events)
        current = installation.project(
            version: version,
            keys: keys ?? current.keys,
            keysVersion: max(Int32(events.count), current.keysVersion)
        )
    }

    private static func event(_ row: StreamRow) -> SigningKeyRing.Event? {
        let body = try? EventFormat.decode(
            type: row.type,
            payload: row.payload,
            columns: row.columns
        )
        return body.flatMap(SigningKeyRing.unwrap)
    }

    private static func fold(_ events: [SigningKeyRing.Event]) -> SigningKeyRing.State? {
        events.reduce(SigningKeyRing.initial) { state, event in
            state.flatMap { SigningKeyRing.evolve($0, by: event) }
        }
    }

    func withCurrentKeys(_ project: Project, by deadline: Deadline)
        async throws(StoreError) -> Project
    {
        try await reload(project.number, by: deadline)
        return current
    }
}
