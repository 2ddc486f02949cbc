package import Domain
internal import EventFormat
package import Issuing
internal import Postgres
package import Runtime

/// The projects of the log for a process without the root secret: found by the types of their
/// events, not by the names of their streams.
package final class SettingsCatalogue: ProjectDirectory {
    private let database: Database
    private let documents: any ProjectDocuments
    private let log: Log
    private let projects = Guarded<[Project]>([])
    private let numbers = Guarded<[ProjectID: ProjectNumber]>([:])
    private let isRead = Guarded(false)

    /// Knows no project before `refresh`.
    package init(_ database: Database, documents: any ProjectDocuments, log: Log) {
        self.database = database
        self.documents = documents
        self.log = log
    }

    package func project(host: String) -> Project? {
        all.first { project in
            project.settings.hosts.contains { $0.utf8.elementsEqual(host.utf8) }
        }
    }

    package func project(id: ProjectID) -> Project? { all.first { $0.settings.id == id } }

    package var all: [Project] { projects.current }

    /// The number of a project, also of one whose document this program cannot read.
    package func number(of id: ProjectID) -> ProjectNumber? { numbers.withLock { $0[id] } }

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

    /// Nil once the projects were read: a check of `/readyz`.
    package var problem: String? { isRead.current ? nil : "projects are not read yet" }

    /// How long to wait before `refresh` is called again: little, until it has been right once.
    package var pause: Duration { isRead.current ? .seconds(5) : .milliseconds(50) }

    /// Reads all of them again.
    package func refresh(by deadline: Deadline) async throws(StoreError) {
        let rows = try await database.query(.projectConfigurations, by: deadline)
        var configurations: [ProjectNumber: Configuration] = [:]
        var rings: [ProjectNumber: Ring] = [:]
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
        let found = configurations.sorted { $0.key < $1.key }
            .compactMap { number, configuration -> Project? in
                guard let applied = configuration.applied else { return nil }
                numbers.withLock { $0[applied.id] = number }
                return project(number, applied, configuration, rings[number])
            }
        projects.replace(with: found)
        isRead.replace(with: true)
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
                settings: try documents.read(applied.document),
                digest: applied.digest,
                configuration: configuration.place,
                isSuspended: configuration.isSuspended,
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
    /// What the newest events of a configuration say; what a decider wants of the older ones (since
    /// when a client is there) is not in it.
    private struct Configuration {
        var place: StreamGuard
        var applied: ProjectConfig.Applied?
        var isSuspended = false

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
