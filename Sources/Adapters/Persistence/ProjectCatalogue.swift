package import Domain
package import Issuing
package import Runtime

/// The projects of the log as this node sees them now: snapshots replaced whole, read without
/// waiting (Architecture 10).
package final class ProjectCatalogue: ProjectDirectory {
    private let snapshot = Guarded(CataloguedProjects())
    private let store: any EventStore
    private let documents: any ProjectDocuments
    private let names: StreamNames
    private let prepare: @Sendable (SigningKeyRing.State) async -> Void
    private let log: Log

    /// `prepare` makes a ring's private keys available before the project is used with it.
    package init(
        store: any EventStore,
        documents: any ProjectDocuments,
        names: StreamNames,
        log: Log,
        prepare: @escaping @Sendable (SigningKeyRing.State) async -> Void = { _ in }
    ) {
        self.store = store
        self.documents = documents
        self.names = names
        self.log = log
        self.prepare = prepare
    }

    package func project(host: String) -> Project? { snapshot.withLock { $0.byHost[host] } }

    package func project(id: ProjectID) -> Project? { all.last { $0.settings.id == id } }

    package var all: [Project] { snapshot.withLock { $0.byNumber } }

    package func number(of id: ProjectID) -> ProjectNumber? {
        snapshot.withLock { $0.numbers[id] }
    }

    package var unservedIDs: [ProjectID] { snapshot.withLock(\.unservedIDs) }

    package var isComplete: Bool { problem == nil }

    /// Nil while every project of the log is served: a check of `/readyz`.
    package var problem: String? { snapshot.withLock(\.problem) }

    /// Projects that are not served, and why: a line each.
    package var unserved: [String] { snapshot.withLock(\.unserved) }

    /// Projects whose issuer this process must not serve: applied under other rules than its own.
    package var refused: [String] { snapshot.withLock(\.withOtherOrigin) }

    /// Whether every number was read to its end once; what cannot be served is `unserved`.
    package var isRead: Bool { snapshot.withLock(\.isRead) }

    /// How long to wait before `refresh` is called again: little, until it has been right once.
    package var pause: Duration { isRead ? .seconds(5) : .milliseconds(100) }

    /// Reads every project there is: at the start, and every few seconds in case a hint was lost.
    ///
    /// Numbers are dense from 1, so the first absent one ends the search; one with an event that
    /// cannot be read keeps no other from being served. Of more projects than it has time for the
    /// next pass reads on.
    package func refresh(by deadline: Deadline) async throws(StoreError) {
        let (server, first) = snapshot.withLock { ($0.server, $0.first) }
        var number = first
        while let candidate = ProjectNumber(number) {
            do throws(StoreError) {
                guard try await read(candidate, by: deadline) else {
                    return snapshot.withLock { $0.end(at: candidate, from: server) }
                }
            } catch {
                guard case .corrupt = error else {
                    snapshot.withLock { $0.stop(before: candidate, from: server) }
                    throw error
                }
                let finding = CataloguedProjects.Finding(line: "its events cannot be read here")
                if snapshot.withLock({ $0.note(finding, of: candidate) }) {
                    log.error(
                        "a project cannot be read, it stays as it was",
                        .field("number", Int(number)),
                        .field("error", "\(error)")
                    )
                }
            }
            number &+= 1
        }
    }

    /// PostgreSQL is another one, which may lack what was read or have gone another way: all is
    /// read again, and takes the place of what is there whatever its version.
    package func beginServer() { snapshot.withLock { $0.beginServer() } }

    package func reload(_ number: ProjectNumber, by deadline: Deadline)
        async throws(StoreError)
    {
        _ = try await read(number, by: deadline)
    }

    package func withCurrentKeys(_ project: Project, by deadline: Deadline)
        async throws(StoreError) -> Project
    {
        if try await store.areCurrent([project.ring], by: deadline) { return project }
        try await reload(project.number, by: deadline)
        return self.project(number: project.number) ?? project
    }

    /// Whether a change of `stream` may be a change of a project or its keys.
    package func concerns(_ stream: StreamID) -> ProjectNumber? {
        let awaited = snapshot.withLock(\.awaited)
        if let number = awaited.first(where: { names.projectConfig($0) == stream }) {
            return number
        }
        return all.first { $0.configuration.stream == stream || $0.keysStream == stream }?.number
    }

    /// False when there is no project of this number.
    private func read(_ number: ProjectNumber, by deadline: Deadline)
        async throws(StoreError) -> Bool
    {
        let server = snapshot.withLock(\.server)
        let stream = names.projectConfig(number)
        let config = try await store.loadCurrent(ProjectConfig.self, stream, by: deadline)
        let isSuspended: Bool
        let applied: ProjectConfig.Applied
        switch config.state {
        case .absent: return false
        case .applied(let document): (applied, isSuspended) = (document, false)
        case .suspended(let document): (applied, isSuspended) = (document, true)
        }
        snapshot.withLock { $0.saw(applied.id, as: number, at: server) }
        let keysStream = names.signingKeys(of: number)
        let keys = try await store.loadCurrent(SigningKeyRing.self, keysStream, by: deadline)
        let (known, isOfThisServer) = snapshot.withLock { snapshot in
            (snapshot.project(number), snapshot.ofThisServer.contains(number))
        }
        if isOfThisServer, known?.configuration == config.guardian, known?.ring == keys.guardian {
            snapshot.withLock { $0.settle(number, at: applied.digest) }
            return true
        }
        guard let (settings, isBehind) = settings(of: applied, number, known) else { return true }
        if !isOfThisServer || known?.keysVersion != keys.version { await prepare(keys.state) }
        install(
            Project(
                number: number,
                settings: settings,
                digest: applied.digest,
                configuration: config.guardian,
                isSuspended: isSuspended,
                isBehind: isBehind,
                clientsSince: applied.clientsSince,
                cascadedAt: applied.cascadedAt,
                keys: keys.state,
                keysStream: keysStream,
                keysVersion: keys.version
            ),
            from: server
        )
        return true
    }

    /// `isBehind`: they are those of a document before, as this one cannot be read.
    private func settings(
        of applied: ProjectConfig.Applied,
        _ number: ProjectNumber,
        _ known: Project?
    ) -> (ProjectSettings, isBehind: Bool)? {
        if let known, known.digest == applied.digest {
            snapshot.withLock { $0.settle(number, at: applied.digest) }
            return (known.settings, known.isBehind)
        }
        do {
            let settings = try documents.readInForce(applied.document)
            snapshot.withLock { $0.settle(number) }
            for line in documents.cautions(in: applied.document) {
                log.warning(
                    "a project allows what is risky",
                    .field("project", applied.id.text),
                    .field("setting", line)
                )
            }
            return (settings, isBehind: false)
        } catch {
            // Validated when it was applied: this program is older than the one that took it, or
            // has a rule that came later.
            let line = error.lines.first ?? ""
            let finding = CataloguedProjects.Finding(
                digest: applied.digest,
                line: line,
                isAboutOrigin: error.isAboutOrigin
            )
            if snapshot.withLock({ $0.note(finding, of: number) }) {
                log.error(
                    "a project's document cannot be read by this program, its old settings stay",
                    .field("project", applied.id.text),
                    .field("error", line)
                )
            }
            return known.map { ($0.settings, isBehind: true) }
        }
    }

    private func install(_ project: Project, from server: Int) {
        let shared = snapshot.withLock { $0.install(project, from: server) }
        guard let shared else { return }
        for host in shared.hosts {
            log.error(
                "two projects have one host: the elder keeps it, of two with one id the later",
                .field("project", project.settings.id.text),
                .field("host", host)
            )
        }
        for (cookie, other) in shared.cookies {
            log.warning(
                "two projects' web clients get cookies of one name: set another http.cookie_prefix",
                .field("project", project.settings.id.text),
                .field("other", other.text),
                .field("cookie", cookie.name),
                .field("domain", cookie.domain)
            )
        }
        log.notice(
            "project configuration in force",
            .field("project", project.settings.id.text),
            .field("version", Int64(project.configuration.version)),
            .field("keys", Int64(project.keysVersion))
        )
    }
}
