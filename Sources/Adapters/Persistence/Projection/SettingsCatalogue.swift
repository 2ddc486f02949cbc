package import Domain
internal import EventFormat
package import Issuing
internal import Postgres
package import Runtime

/// The projects of the log for a process without the root secret: found by the types of their
/// events, not by the names of their streams.
///
/// Of `clientsSince` it has what came in the last two hours: no access token lives longer than one.
package final class SettingsCatalogue: ProjectDirectory {
    private static let lookMax = Duration.seconds(3)
    /// Few of the 64 that a connection takes: hundreds may be woken at once, and ask.
    private static let looksMax = 8

    private let database: Database
    private let documents: any ProjectDocuments
    private let log: Log
    /// Nil until the projects were read.
    private let contents = Guarded<Contents?>(nil)
    private let line: AskingLine?

    /// Knows no project before `refresh`; who asks for the newest is on the database's first loop.
    package init(_ database: Database, documents: any ProjectDocuments, log: Log) {
        self.database = database
        self.documents = documents
        self.log = log
        line = database.loops.first.map { AskingLine(on: $0, atOnce: SettingsCatalogue.looksMax) }
    }

    package func project(host: String) -> Project? {
        all.first { project in
            project.settings.hosts.contains { $0.utf8.elementsEqual(host.utf8) }
        }
    }

    package func project(id: ProjectID) -> Project? { all.first { $0.settings.id == id } }

    package var all: [Project] { contents.current?.projects ?? [] }

    package func number(of id: ProjectID) -> ProjectNumber? { contents.current?.numbers[id] }

    package var isComplete: Bool { contents.current?.isComplete ?? false }

    package func reload(_ number: ProjectNumber, by deadline: Deadline) async throws(StoreError) {
        try await refresh(by: deadline)
    }

    package func withCurrentKeys(_ project: Project, by deadline: Deadline)
        async throws(StoreError) -> Project
    {
        let heads: [Int32]
        let keys = Statement.heads(of: [project.keysStream])
        do { heads = try await database.query(keys, by: deadline) } catch { throw .unavailable }
        if heads == [project.keysVersion] { return project }
        try await refresh(by: deadline)
        return self.project(id: project.settings.id) ?? project
    }

    package func newest(_ project: Project, by deadline: Deadline)
        async throws(StoreError) -> Project
    {
        let limit = MonotonicInstant.now().advanced(by: Self.lookMax)
        let end = min(MonotonicInstant(deadline), limit)
        let found = await line?.ask(by: end) {
            try? await look(at: project, by: Deadline(nanoseconds: end.nanoseconds))
        }
        guard let found else { throw .unavailable }
        return found
    }

    private func look(at project: Project, by deadline: Deadline)
        async throws(StoreError) -> Project
    {
        let id = project.settings.id
        let held = self.project(id: id) ?? project
        let heads = Statement.heads(of: [held.configuration.stream, held.keysStream])
        let versions = try await database.query(heads, by: deadline)
        if versions == [held.configuration.version, held.keysVersion] { return held }
        // What this call has read: another one that began before it may end after it.
        let found = try await read(by: deadline)
        guard let current = found.first(where: { $0.settings.id == id }) else {
            throw .unavailable
        }
        return current
    }

    /// Nil once the projects were read: a check of `/readyz`.
    package var problem: String? { contents.current == nil ? "projects are not read yet" : nil }

    /// How long to wait before `refresh` is called again: little, until it has been right once.
    package var pause: Duration { problem == nil ? .seconds(5) : .milliseconds(50) }

    /// Reads all of them again.
    package func refresh(by deadline: Deadline) async throws(StoreError) {
        _ = try await read(by: deadline)
    }

    private func read(by deadline: Deadline) async throws(StoreError) -> [Project] {
        let rows = try await database.query(.projectConfigurations, by: deadline)
        // Behind the documents: every client they have is among these.
        let added = try await database.query(.addedClients, by: deadline)
        var configurations: [ProjectNumber: Configuration] = [:]
        var rings: [ProjectNumber: Ring] = [:]
        // Also of what cannot be read here: what a failover lost is not among them.
        let known = Set(rows.compactMap { ProjectNumber($0.project) })
        for row in rows {
            guard let number = ProjectNumber(row.project),
                let event = try? EventFormat.decode(
                    type: row.type,
                    payload: row.payload,
                    columns: row.columns
                )
            else { continue }
            let place = StreamGuard(stream: row.stream, version: row.version)
            switch event {
            case .projectConfig(let event):
                configurations[number, default: Configuration(place: place)].take(event, at: place)
            case .signingKey(let event):
                rings[number, default: Ring(place: place)].take(event, at: place)
            case .subject, .loginID, .loginLink, .authorization, .browserSession,
                .authorizationCode, .offlineGrant, .biometricKey, .preAuthenticatedURL, .consent,
                .spent:
                continue
            }
        }
        for row in added {
            guard let number = ProjectNumber(row.project), let client = ClientID(row.client) else {
                continue
            }
            configurations[number]?.clientsSince[client] = row.at
        }
        var found = Contents()
        found.numbers = contents.current?.numbers.filter { known.contains($0.value) } ?? [:]
        for (number, configuration) in configurations.sorted(by: { $0.key < $1.key }) {
            guard let applied = configuration.applied else { continue }
            found.numbers[applied.id] = number
            let project = project(number, applied, configuration, rings[number])
            if let project { found.projects.append(project) }
        }
        found.isComplete = !known.isEmpty && found.projects.count == known.count
        contents.replace(with: found)
        return found.projects
    }

    private func project(
        _ number: ProjectNumber,
        _ applied: ProjectConfig.Applied,
        _ configuration: Configuration,
        _ ring: Ring?
    ) -> Project? {
        do {
            return Project(
                number: number,
                settings: try documents.readInForce(applied.document),
                digest: applied.digest,
                configuration: configuration.place,
                isSuspended: configuration.isSuspended,
                clientsSince: configuration.clientsSince,
                keys: ring?.keys ?? SigningKeyRing.initial,
                keysStream: ring?.place.stream ?? configuration.place.stream,
                keysVersion: ring?.place.version ?? 0
            )
        } catch {
            log.error(
                "a project's document cannot be read by this program",
                .field("project", applied.id.text)
            )
            return nil
        }
    }
}

extension SettingsCatalogue {
    /// What was read of the log.
    private struct Contents {
        var projects: [Project] = []
        /// Also of projects that cannot be served.
        var numbers: [ProjectID: ProjectNumber] = [:]
        /// Whether every project of the log is among them.
        var isComplete = false
    }

    /// What the newest events of a configuration say, and since when clients are there that came of
    /// late.
    private struct Configuration {
        var place: StreamGuard
        var applied: ProjectConfig.Applied?
        var isSuspended = false
        var clientsSince: [ClientID: Instant] = [:]

        mutating func take(_ event: ProjectConfig.Event, at place: StreamGuard) {
            self.place = place
            switch event {
            case .applied(let applied, _, _): self.applied = applied
            case .suspended: isSuspended = true
            case .resumed: isSuspended = false
            }
        }
    }

    /// The keys of a project.
    private struct Ring {
        var place: StreamGuard
        var keys: SigningKeyRing.State? = SigningKeyRing.initial

        mutating func take(_ event: SigningKeyRing.Event, at place: StreamGuard) {
            self.place = place
            keys = SigningKeyRing.evolve(keys ?? SigningKeyRing.initial, by: event)
        }
    }
}
