import Domain
import EventFormat
import Projections
import Publishing
import Runtime

// @unchecked: touched by the one thread that runs the simulation.
/// One projector's connection to its tables and the log: the lead is the session's, and goes with
/// it.
final class SimulatedProjection: ProjectionStore, @unchecked Sendable {
    private let installation: Installation
    private let process: SimulatedProcess
    private var number: Int
    private var world: World { installation.world }
    private var database: SimulatedDatabase { installation.database }

    init(_ installation: Installation, _ process: SimulatedProcess) {
        self.installation = installation
        self.process = process
        installation.database.model.sessionsMade += 1
        number = installation.database.model.sessionsMade
        process.onKill.append { [self] in leave() }
    }

    private func leave() {
        if database.model.holder == number { database.model.holder = nil }
    }

    /// A call on this session; a failed one ends it, and the lead with it.
    private func ask<Answer: Sendable>(
        _ serve: @escaping () -> Result<Answer, ProjectionTrouble>
    ) async throws(ProjectionTrouble) -> Answer {
        let faults = ConnectionFaults<ProjectionTrouble>(
            notConnected: .unavailable,
            lost: .unavailable
        )
        let mine = number
        do {
            let result: Result<Answer, ProjectionTrouble> = try await world.ask(
                from: process,
                to: .postgreSQL,
                faults
            ) { [self] answer in
                if database.model.holder == mine { database.model.heardAt = world.wallTime }
                answer(mine == number ? serve() : .failure(.unavailable))
            }
            return try result.get()
        } catch {
            if error == .unavailable, mine == number {
                // As a relay's (`SimulatedRelaySession`).
                if !process.isCutOff(from: .postgreSQL, at: world.nanoseconds) { leave() }
                database.model.sessionsMade += 1
                number = database.model.sessionsMade
            }
            throw error
        }
    }

    // MARK: - The lead

    func lead() async throws(ProjectionTrouble) -> Bool {
        try await ask { [self] in
            let holder = database.model.holder
            // A session whose client is dead ends before anybody sees that it has the lock.
            guard process.isAlive, holder == nil || holder == number else {
                return .success(false)
            }
            database.model.holder = number
            database.model.heardAt = world.wallTime
            return .success(true)
        }
    }

    func showLife() async throws(ProjectionTrouble) {
        try await ask { [self] () -> Result<Void, ProjectionTrouble> in
            database.model.holder == number ? .success(()) : .failure(.unavailable)
        }
    }

    func deposeHolder(silentFor silence: Duration) async throws(ProjectionTrouble) -> Bool {
        try await ask { [self] in
            let silent = world.wallTime.millisecondsSince(database.model.heardAt)
            guard database.model.holder != nil, silent > silence.components.seconds * 1000 else {
                return .success(false)
            }
            database.model.holder = nil
            return .success(true)
        }
    }

    func resign() async {
        if !process.isCutOff(from: .postgreSQL, at: world.nanoseconds) { leave() }
    }

    // MARK: - The model

    func position() async throws(ProjectionTrouble) -> ProjectionPosition {
        try await ask { [self] in
            if world.faults.strikes(.readerRewound) {
                database.model.rewind(by: Int64(1 + world.dice.draw(20)))
            }
            let model = database.model
            let progress = ProjectionProgress(
                log: database.log,
                offsets: model.offsets,
                applied: model.applied,
                frontier: model.frontier,
                late: model.late,
                complete: model.complete,
                blocked: model.blocked
            )
            return .success(
                ProjectionPosition(
                    progress: progress,
                    cluster: model.clusterID,
                    revocationsCluster: model.revocationsCluster,
                    acknowledged: model.acknowledged
                )
            )
        }
    }

    func versions(of sessions: [SessionID])
        async throws(ProjectionTrouble) -> [SessionID: Int32]
    {
        try await ask { [self] in
            .success(database.model.versions.filter { sessions.contains($0.key) })
        }
    }

    func apply(_ batch: ProjectionBatch, onCluster cluster: String)
        async throws(ProjectionTrouble)
    {
        let isAborted = world.faults.strikes(.commitLost)
        try await ask { [self] () -> Result<Void, ProjectionTrouble> in
            guard !isAborted, database.model.holder == number else { return .failure(.unavailable) }
            installation.checks.model.willApply(batch, database, installation.topic, cluster)
            database.model.apply(batch, of: cluster)
            return .success(())
        }
    }

    func outbox() async throws(ProjectionTrouble) -> [RevocationRecord] {
        try await ask { [self] in
            let model = database.model
            let rows = model.outbox.prefix(RevocationRecord.batchMax).compactMap {
                model.revocations[$0]
            }
            return .success(rows.map { Self.record($0, of: database.log) })
        }
    }

    func queueAgain(after key: String, in generation: Int32, forCluster cluster: String)
        async throws(ProjectionTrouble) -> String?
    {
        try await ask { [self] in
            guard database.model.holder == number else { return .failure(.unavailable) }
            return .success(database.model.queueAgain(after: key, forCluster: cluster))
        }
    }

    func published(
        _ records: [RevocationRecord],
        in generation: Int32,
        acknowledged: [Int32: Int64]
    ) async throws(ProjectionTrouble) {
        try await ask { [self] () -> Result<Void, ProjectionTrouble> in
            guard database.model.holder == number else { return .failure(.unavailable) }
            database.model.took(records, acknowledged: acknowledged)
            return .success(())
        }
    }

    func dropOld() async throws(ProjectionTrouble) {}

    func toBury() async throws(ProjectionTrouble) -> [String] { [] }

    func buried(_ keys: [String]) async throws(ProjectionTrouble) {}

    func number(of project: ProjectID) -> ProjectNumber? { installation.projectNumber }

    func refreshProjects() async throws(ProjectionTrouble) {}

    // MARK: - The log

    func history(of stream: StreamID, after version: Int32, upTo last: Int32)
        async throws(ProjectionTrouble) -> StreamHistory
    {
        try await ask { [self] in
            var events: [RecordedEvent] = []
            var reached = version
            for row in database.rows(of: stream, after: version) where row.event.version <= last {
                guard let known = database.relay.ledger.first(where: { $0.row.place == row.place })
                else {
                    return .success(
                        last == .max
                            ? .events(events, last: reached, isAll: false) : .unnumbered
                    )
                }
                guard let event = Self.event(known) else { return .success(.unreadable("damaged")) }
                reached = event.version
                events.append(event)
            }
            return .success(.events(events, last: reached, isAll: true))
        }
    }

    func stream(at index: Int64) async throws(ProjectionTrouble) -> StreamID? {
        try await ask { [self] in
            .success(database.relay.ledger.first { $0.index == index }?.row.event.stream)
        }
    }

    func published(after index: Int64) async throws(ProjectionTrouble) -> PublishedRange? {
        try await ask { [self] in
            let rows = database.relay.ledger.filter { $0.index > index }
                .sorted { $0.index < $1.index }.prefix(40)
            guard let last = rows.last?.index else { return .success(nil) }
            let events = rows.compactMap(Self.event).filter(Self.isOfSession)
            return .success(PublishedRange(events: events, unreadable: [], last: last))
        }
    }

    private static func isOfSession(_ event: RecordedEvent) -> Bool {
        switch event.body {
        case .offlineGrant, .browserSession: true
        case .subject, .loginID, .loginLink, .authorization, .authorizationCode, .biometricKey,
            .preAuthenticatedURL, .consent, .spent, .signingKey, .projectConfig:
            false
        }
    }

    static func event(_ row: NumberedRow) -> RecordedEvent? {
        let stored = row.row.event
        let body = try? EventFormat.decode(
            type: stored.type,
            payload: stored.payload,
            columns: stored.columns
        )
        guard let body else { return nil }
        return RecordedEvent(
            logIndex: row.index,
            project: stored.project,
            stream: stored.stream,
            version: stored.version,
            occurredAt: stored.columns.occurredAt,
            subject: stored.columns.subject,
            session: stored.columns.session,
            body: body
        )
    }

    private static func record(_ row: Revocations.Revocation, of log: StreamID)
        -> RevocationRecord
    {
        RevocationRecord(
            key: row.key.description,
            session: row.key.session,
            client: row.client?.text,
            token: row.key.token.map { "\($0)" },
            subject: row.subject?.stream,
            revokedAt: row.revokedAt,
            issuedBefore: row.issuedBefore,
            expiresAt: row.expiresAt,
            reason: row.reason,
            log: log,
            index: row.logIndex ?? 0,
            lateNumber: nil
        )
    }
}
