package import Configuration
package import Domain
package import Persistence
package import Postgres
package import Runtime

/// Keeps a process from working on a database it was not made for: another schema, a server that
/// loses what it acknowledged, a role that could forge (Security 10), projects of
/// another root secret.
///
/// A database that is away is no reason to end: it is looked at when it is back.
package struct DatabaseGate: Sendable {
    private static let pause = Duration.seconds(1)

    private let connection: ConnectionSettings
    private let duty: RoleRights.Duty
    private let isSingleNode: Bool
    private let isInsecureDev: Bool
    private let firstProjects: [StreamID]?
    private let loop: Loop
    private let log: Log
    private let state = Guarded(State())

    private struct State {
        var isOpen = false
        /// Why it could not be looked at, the last time.
        var obstacle: PostgresError?
    }

    /// Looks with the connection of the process, as its role.
    ///
    /// `isSingleNode`: `database.durability` says that no standby is wanted. With
    /// `isInsecureDev` only the schema and a foreign root secret are reasons to end.
    /// `firstProjects`: where the first project begins under the root secret of the process; of
    /// none, as before its first start, each project of the log is another's; nil: it has no root
    /// secret.
    package init(
        _ connection: ConnectionSettings,
        for duty: RoleRights.Duty,
        isSingleNode: Bool,
        isInsecureDev: Bool,
        firstProjects: [StreamID]? = nil,
        on loop: Loop,
        log: Log
    ) {
        self.connection = connection
        self.duty = duty
        self.isSingleNode = isSingleNode
        self.isInsecureDev = isInsecureDev
        self.firstProjects = firstProjects
        self.loop = loop
        self.log = log
    }

    /// Nil once the database was looked at and is right: a check of `/readyz`.
    package var problem: String? {
        state.withLock { state in
            guard !state.isOpen else { return nil }
            return state.obstacle.map { "not looked at yet: \($0)" } ?? "not looked at yet"
        }
    }

    /// What a check that found nothing wrong has to say.
    package var verdict: String {
        let right = "the configuration is right"
        return problem.map { "\(right); the database was \($0)" } ?? right
    }

    /// As `component`, for a check, which has no second look: what a server refuses for good, such
    /// as a role or a database that is not there, is wrong.
    package var checkComponent: Component {
        Component(
            "schema",
            start: { () async throws(Component.StartFailure) in
                guard try await !look(), let obstacle = state.withLock(\.obstacle) else { return }
                switch obstacle {
                case _ where !obstacle.mayPass:
                    throw Component.StartFailure(.configuration, "database: \(obstacle)")
                // Nobody was there to answer.
                case .cannotConnect(_, nil), .notConnected, .deadlineExceeded(sent: false): return
                case .cannotConnect, .connectionLost, .server, .deadlineExceeded(sent: true),
                    .overloaded, .unexpectedRow:
                    throw Component.StartFailure(
                        .temporaryFailure,
                        "database: \(obstacle): ask again; chancery doctor says what holds it up"
                    )
                }
            }
        )
    }

    /// Looks for projects only, before a process makes the root secret that would not be theirs.
    ///
    /// A log that could not be looked at may hold some, so that no secret is made beside it
    /// (decision 0220). What else is wrong is left to the look of the start.
    package var emptinessComponent: Component {
        Component(
            "projects",
            start: { () async throws(Component.StartFailure) in
                if let obstacle = try await schemaObstacle() { throw Self.unseen(obstacle) }
                let found: [StreamID]
                do throws(PostgresError) { found = try await firstProjectsFound() } catch {
                    throw Self.unseen(error)
                }
                guard found.isEmpty else {
                    throw Component.StartFailure(.configuration, StartRefusal.foreignRoot.line)
                }
            }
        )
    }

    private static func unseen(_ obstacle: PostgresError) -> Component.StartFailure {
        Component.StartFailure(
            obstacle.mayPass ? .temporaryFailure : .configuration,
            "database: \(obstacle): the first start makes keys.directory once it sees a log "
                + "without projects; start again"
        )
    }

    private func firstProjectsFound() async throws(PostgresError) -> [StreamID] {
        let server = try await ServerInspection(connection, on: loop)
        defer { server.close() }
        return try await server.firstProjects()
    }

    /// The start waits until the database was looked at; one that is away is no reason to wait.
    ///
    /// One that comes later and is wrong ends the process at once: each further command could be
    /// lost or forged.
    package var component: Component {
        Component(
            "schema",
            start: { () async throws(Component.StartFailure) in
                guard try await !look() else { return }
                loop.spawn {
                    guard let failure = await watch() else { return }
                    log.error("this database is refused", .field("error", failure.reason))
                    log.flush()
                    ThisProcess.exitNow(failure.exitCode.rawValue)
                }
            }
        )
    }

    /// Looks once; false when there is no database to look at.
    ///
    /// - Throws: `.configuration`, with every reason.
    package func look() async throws(Component.StartFailure) -> Bool {
        guard try await hasOurSchema() else { return false }
        let refusals: [StartRefusal]
        do throws(PostgresError) { refusals = try await self.refusals() } catch {
            return isHindered(by: error)
        }
        let refused = isInsecureDev ? refusals.filter { $0 == .foreignRoot } : refusals
        guard refused.isEmpty else {
            let lines = refused.map(\.line).joined(separator: "; ")
            throw Component.StartFailure(.configuration, lines)
        }
        for refusal in refusals {
            log.notice("for development only", .field("refusal", refusal.sentence))
        }
        state.withLock { $0.isOpen = true }
        return true
    }

    /// Looks once a second until there was a database; what is wrong with that one, or nil.
    package func watch() async -> Component.StartFailure? {
        while !loop.isStopping {
            try? await loop.sleep(until: loop.now.advanced(by: Self.pause))
            do throws(Component.StartFailure) {
                if try await look() { return nil }
            } catch { return error }
        }
        return nil
    }

    /// Notes why there was nothing to look at; false.
    ///
    /// A role that may not ask, or a server that takes too long, is looked at for ever: so whoever
    /// looks after it must hear why, once for each reason.
    private func isHindered(by error: PostgresError) -> Bool {
        let isNews = state.withLock { state in
            defer { state.obstacle = error }
            return state.obstacle != error
        }
        if isNews {
            log.warning("the database could not be looked at", .field("error", "\(error)"))
        }
        return false
    }

    private func refusals() async throws(PostgresError) -> [StartRefusal] {
        let server = try await ServerInspection(connection, on: loop)
        defer { server.close() }
        let refusals = try await server.startRefusals(
            of: connection.user,
            for: duty,
            isSingleNode: isSingleNode
        )
        guard let firstProjects else { return refusals }
        let found = try await server.firstProjects()
        let isForeign = !found.isEmpty && !found.contains(where: firstProjects.contains)
        return isForeign ? refusals + [.foreignRoot] : refusals
    }

    private func hasOurSchema() async throws(Component.StartFailure) -> Bool {
        guard let obstacle = try await schemaObstacle() else { return true }
        return isHindered(by: obstacle)
    }

    /// Why the schema could not be looked at; nil: it is ours.
    ///
    /// - Throws: `.configuration` for another one.
    private func schemaObstacle() async throws(Component.StartFailure) -> PostgresError? {
        do throws(MigrationError) {
            try await Migrator(SchemaSteps.all, on: connection, loop: loop).check()
            return nil
        } catch {
            guard case .database(let problem) = error else {
                throw Component.StartFailure(.configuration, "schema: \(error)")
            }
            return problem
        }
    }
}

extension DatabaseSettings {
    /// What keeps a process with these settings from a database it was not made for.
    package func gate(
        _ connection: ConnectionSettings,
        for duty: RoleRights.Duty,
        _ isInsecureDev: Bool,
        firstProjects: [StreamID]? = nil,
        on loop: Loop,
        _ log: Log
    ) -> DatabaseGate {
        DatabaseGate(
            connection,
            for: duty,
            isSingleNode: durability == .singleNode,
            isInsecureDev: isInsecureDev,
            firstProjects: firstProjects,
            on: loop,
            log: log
        )
    }
}
