package import Domain
internal import EventFormat
package import Issuing
internal import Postgres
package import Runtime

/// The projects of the log for a process without the root secret: found by the types of their
/// events, not by the names of their streams.
///
/// Of `clientsSince` it has what had come in the two hours before a project was read: no access
/// token lives longer than one.
package final class SettingsCatalogue: ProjectDirectory {
    private static let lookMax = Duration.seconds(3)
    /// Few of the 64 that a connection takes: hundreds may be woken at once, and ask.
    private static let looksMax = 8
    /// A document has up to 256 KiB, and an answer of PostgreSQL is held whole.
    private static let projectsPerQuery = 32
    /// How often it is read again because another call was done first.
    private static let readsMax = 3

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

    /// Also by the host of its feed, unless another project answers that one.
    package func project(host: String) -> Project? {
        holder { $0.hosts.contains { $0.utf8.elementsEqual(host.utf8) } }
            ?? holder { $0.feedHost?.utf8.elementsEqual(host.utf8) ?? false }
    }

    /// As `CataloguedProjects` has it: the elder, of two with one id the later.
    private func holder(_ isItsHost: (ProjectSettings) -> Bool) -> Project? {
        let holders = all.filter { isItsHost($0.settings) }
        return holders.last { $0.settings.id == holders.first?.settings.id }
    }

    package func project(id: ProjectID) -> Project? { all.last { $0.settings.id == id } }

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
        // What this call has read: where others are always done first, it is not kept.
        let found = try await read(by: deadline)
        return found.first { $0.number == project.number } ?? project
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
        let held = self.project(number: project.number) ?? project
        let heads = Statement.heads(of: [held.configuration.stream, held.keysStream])
        let versions = try await database.query(heads, by: deadline)
        if versions == [held.configuration.version, held.keysVersion] { return held }
        // What this call has read: another one that began before it may end after it.
        let found = try await read(by: deadline)
        guard let current = found.first(where: { $0.number == project.number }) else {
            throw .unavailable
        }
        return current
    }

    /// Nil once the projects were read: a check of `/readyz`.
    package var problem: String? { contents.current == nil ? "projects are not read yet" : nil }

    /// How long to wait before `refresh` is called again: little, until it has been right once.
    package var pause: Duration { problem == nil ? .seconds(5) : .milliseconds(50) }

    /// Reads again what has changed since it was read.
    package func refresh(by deadline: Deadline) async throws(StoreError) {
        _ = try await read(by: deadline)
    }

    /// As above; the projects as this call has found them.
    private func read(by deadline: Deadline) async throws(StoreError) -> [Project] {
        var found: [Project] = []
        for _ in 0..<Self.readsMax {
            let known = contents.current
            let held = try await held(knowing: known?.held ?? [:], by: deadline)
            let now = Contents(held, generation: (known?.generation ?? 0) + 1)
            found = now.projects
            let isKept = contents.withLock { contents in
                // Of two that look at the same time nobody knows which has seen more.
                guard contents?.generation == known?.generation else { return false }
                contents = now
                return true
            }
            if isKept { break }
        }
        return found
    }

    private func held(knowing known: [ProjectNumber: Held], by deadline: Deadline)
        async throws(StoreError) -> [ProjectNumber: Held]
    {
        var heads: [ProjectNumber: [SettingsHead]] = [:]
        for head in try await database.query(.settingsHeads, by: deadline) {
            guard let number = ProjectNumber(head.project) else { continue }
            heads[number, default: []].append(head)
        }
        // What a failover lost is not among them.
        var held = known.filter { heads[$0.key] != nil }
        let changed = heads.keys.filter { heads[$0] != known[$0]?.heads }.sorted()
        for start in stride(from: 0, to: changed.count, by: Self.projectsPerQuery) {
            let part = Array(changed[start..<min(start + Self.projectsPerQuery, changed.count)])
            let found = try await read(part, by: deadline)
            for number in part {
                let (configuration, ring) = found[number] ?? (nil, nil)
                held[number] = Held(
                    heads: heads[number] ?? [],
                    id: configuration?.applied?.id ?? known[number]?.id,
                    project: configuration.flatMap { project(number, $0, ring) }
                )
            }
        }
        return held
    }

    private func read(_ projects: [ProjectNumber], by deadline: Deadline)
        async throws(StoreError) -> [ProjectNumber: (Configuration?, Ring?)]
    {
        let rows = try await database.query(.projectConfigurations(of: projects), by: deadline)
        // Behind the documents: every client they have is among these.
        let added = try await database.query(.addedClients(of: projects), by: deadline)
        var found: [ProjectNumber: (Configuration?, Ring?)] = [:]
        for row in rows {
            guard let number = ProjectNumber(row.project),
                let event = try? EventFormat.decode(
                    type: row.type,
                    payload: row.payload,
                    columns: row.columns
                )
            else { continue }
            let place = StreamGuard(stream: row.stream, version: row.version)
            var (configuration, ring) = found[number] ?? (nil, nil)
            switch event {
            case .projectConfig(let event):
                configuration = configuration ?? Configuration(place: place)
                configuration?.take(event, at: place)
            case .signingKey(let event):
                ring = ring ?? Ring(place: place)
                ring?.take(event, at: place)
            case .subject, .loginID, .loginLink, .authorization, .browserSession,
                .authorizationCode, .offlineGrant, .biometricKey, .preAuthenticatedURL, .consent,
                .spent:
                continue
            }
            found[number] = (configuration, ring)
        }
        for row in added {
            guard let number = ProjectNumber(row.project), let client = ClientID(row.client) else {
                continue
            }
            found[number]?.0?.clientsSince[client] = row.at
        }
        return found
    }

    /// Nil when it cannot be served.
    private func project(
        _ number: ProjectNumber,
        _ configuration: Configuration,
        _ ring: Ring?
    ) -> Project? {
        guard let applied = configuration.applied else { return nil }
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
                .field("project", applied.id.text),
                .field("error", error.lines.first ?? "")
            )
            return nil
        }
    }
}

extension SettingsCatalogue {
    /// What was read of one project, and where the log was then.
    private struct Held {
        var heads: [SettingsHead]
        var id: ProjectID?
        /// Nil when it cannot be served.
        var project: Project?
    }

    /// What was read of the log.
    private struct Contents {
        let held: [ProjectNumber: Held]
        /// One more than that of those it took the place of.
        let generation: Int
        let projects: [Project]
        /// Also of projects that cannot be served.
        let numbers: [ProjectID: ProjectNumber]

        init(_ held: [ProjectNumber: Held], generation: Int) {
            self.held = held
            self.generation = generation
            let sorted = held.sorted { $0.key < $1.key }
            projects = sorted.compactMap(\.value.project)
            numbers = sorted.reduce(into: [:]) { numbers, one in
                if let id = one.value.id { numbers[id] = one.key }
            }
        }

        /// Whether every project of the log is among them.
        var isComplete: Bool { !held.isEmpty && projects.count == held.count }
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
            case .applied(let applied, _, _, _): self.applied = applied
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
