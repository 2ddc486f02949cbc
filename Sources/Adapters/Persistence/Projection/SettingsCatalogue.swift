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
        var configurations: [ProjectNumber: (stream: StreamID, version: Int32)] = [:]
        var states: [ProjectNumber: ProjectConfig.State] = [:]
        var rings: [ProjectNumber: (stream: StreamID, version: Int32)] = [:]
        var keys: [ProjectNumber: SigningKeyRing.State] = [:]
        for row in rows {
            guard let number = ProjectNumber(row.project),
                let event = try? EventFormat.decode(
                    type: row.type,
                    payload: row.payload,
                    columns: row.columns
                )
            else { continue }
            switch event {
            case .projectConfig(let event):
                configurations[number] = (row.stream, row.version)
                states[number] = ProjectConfig.evolve(
                    states[number] ?? ProjectConfig.initial,
                    by: event
                )
            case .signingKey(let event):
                rings[number] = (row.stream, row.version)
                keys[number] = SigningKeyRing.evolve(
                    keys[number] ?? SigningKeyRing.initial,
                    by: event
                )
            case .subject, .loginID, .loginLink, .authorization, .browserSession,
                .authorizationCode, .offlineGrant, .biometricKey, .preAuthenticatedURL, .consent,
                .spent:
                continue
            }
        }
        for (number, state) in states {
            switch state {
            case .absent: break
            case .applied(let applied), .suspended(let applied):
                numbers.withLock { $0[applied.id] = number }
            }
        }
        let found = configurations.keys.sorted().compactMap { number -> Project? in
            guard let place = configurations[number], let state = states[number] else { return nil }
            return project(number, place, state, rings[number], keys[number])
        }
        projects.replace(with: found)
        isRead.replace(with: true)
    }

    private func project(
        _ number: ProjectNumber,
        _ place: (stream: StreamID, version: Int32),
        _ state: ProjectConfig.State,
        _ ring: (stream: StreamID, version: Int32)?,
        _ keys: SigningKeyRing.State?
    ) -> Project? {
        let applied: ProjectConfig.Applied
        let isSuspended: Bool
        switch state {
        case .absent: return nil
        case .applied(let document): (applied, isSuspended) = (document, false)
        case .suspended(let document): (applied, isSuspended) = (document, true)
        }
        do {
            return Project(
                number: number,
                settings: try documents.read(applied.document),
                digest: applied.digest,
                configuration: StreamGuard(stream: place.stream, version: place.version),
                isSuspended: isSuspended,
                keys: keys ?? SigningKeyRing.initial,
                keysStream: ring?.stream ?? place.stream,
                keysVersion: ring?.version ?? 0
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
