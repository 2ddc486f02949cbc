import Domain
import EventFormat
import Publishing
import Runtime

// @unchecked: touched by the one thread that runs the simulation.
/// One relay's connection: the lock is the session's, and goes with it.
final class SimulatedRelaySession: RelayLeadership, EventLog, PublishedLedger, @unchecked Sendable {
    private let database: SimulatedDatabase
    private let process: SimulatedProcess
    private let name: ProjectID
    private var number: Int
    private var world: World { database.world }

    init(_ database: SimulatedDatabase, of process: SimulatedProcess, project: ProjectID) {
        self.database = database
        self.process = process
        name = project
        number = Self.newNumber(database)
        process.onKill.append { [self] in leave() }
    }

    private static func newNumber(_ database: SimulatedDatabase) -> Int {
        database.relay.sessionsMade += 1
        return database.relay.sessionsMade
    }

    private func leave() {
        if database.relay.holder == number { database.relay.holder = nil }
    }

    /// A call on this session; a failed one ends it.
    ///
    /// A statement on its way outlives its session's client: it is run all the same.
    private func ask<Answer: Sendable>(
        outlivingSession: Bool = false,
        _ serve: @escaping () -> Result<Answer, EventLogError>
    ) async throws(EventLogError) -> Answer {
        let faults = ConnectionFaults<EventLogError>(notConnected: .unavailable, lost: .unavailable)
        let mine = number
        do {
            let result: Result<Answer, EventLogError> = try await world.ask(
                from: process,
                to: .postgreSQL,
                faults
            ) {
                [self] answer in
                // A session that was ended meanwhile answers nobody.
                let isServed = mine == number || outlivingSession
                answer(isServed ? serve() : .failure(.unavailable))
            }
            return try result.get()
        } catch {
            if error == .unavailable, mine == number {
                // A server hears nothing of a network that is away: the session stays there until
                // somebody ends it.
                if !process.isCutOff(from: .postgreSQL, at: world.nanoseconds) { leave() }
                number = Self.newNumber(database)
            }
            throw error
        }
    }

    func lead() async throws(EventLogError) -> RelayTerm? {
        let mine = number
        return try await ask { [self] in
            let holder = database.relay.holder
            // A session whose client is dead ends before anybody sees that it has the lock.
            guard process.isAlive, holder == nil || holder == mine else { return .success(nil) }
            database.relay.holder = mine
            database.relay.heartbeat = world.wallTime
            database.relay.relayEpoch += 1
            return .success(
                RelayTerm(
                    relayEpoch: database.relay.relayEpoch,
                    cursor: database.relay.cursor,
                    clusterID: database.relay.clusterID,
                    acknowledged: database.relay.acknowledged,
                    log: database.log,
                    currentEpoch: database.epoch
                )
            )
        }
    }

    func deposeHolder(silentFor silence: Duration) async throws(EventLogError) -> Bool {
        try await ask { [self] in
            let silent = world.wallTime.millisecondsSince(database.relay.heartbeat)
            guard database.relay.holder != nil, silent > silence.components.seconds * 1000 else {
                return .success(false)
            }
            database.relay.holder = nil
            return .success(true)
        }
    }

    func showLife(of relayEpoch: Int64) async throws(EventLogError) {
        try await ask { [self] () -> Result<Void, EventLogError> in
            guard database.relay.relayEpoch == relayEpoch else { return .failure(.fenced) }
            database.relay.heartbeat = world.wallTime
            return .success(())
        }
    }

    func resign() async {
        if !process.isCutOff(from: .postgreSQL, at: world.nanoseconds) { leave() }
    }

    func fence() async throws(EventLogError) -> Fence {
        try await ask { [self] in
            .success(
                Fence(
                    at: world.wallTime,
                    oldestOpen: database.oldestOpen,
                    nextToBegin: database.nextToBegin
                )
            )
        }
    }

    func rows(after place: LogPosition, belowFence: Bool) async throws(EventLogError) -> [LogRow] {
        try await ask { [self] in
            .success(database.rows(after: place, belowFence: belowFence))
        }
    }

    func projectName(of project: ProjectNumber) async throws(EventLogError) -> ProjectID? {
        let name = name
        return try await ask { [self] in
            .success(database.rows.contains { $0.event.project == project } ? name : nil)
        }
    }

    /// Sooner when there is something, later when it is quiet: looking in vain proves nothing.
    func news(within time: Duration) async {
        let seen = database.changes
        let end = process.loop.now.advanced(by: database.isQuiet ? .milliseconds(900) : time)
        while database.changes == seen, process.loop.now < end, !world.isOver {
            let next = process.loop.now.advanced(by: .milliseconds(database.isQuiet ? 100 : 5))
            try? await process.loop.sleep(until: min(next, end))
        }
    }

    func record(
        _ rows: [NumberedRow],
        cursor: RelayCursor,
        acknowledged: [Int32: Int64],
        by relayEpoch: Int64
    ) async throws(EventLogError) {
        let isAborted = world.faults.strikes(.commitLost)
        try await ask(outlivingSession: true) { [self] () -> Result<Void, EventLogError> in
            if isAborted { return .failure(.unavailable) }
            guard isTerm(relayEpoch) else { return .failure(.fenced) }
            guard database.relay.keep(rows) else { return .failure(.unavailable) }
            database.relay.cursor = cursor
            database.relay.acknowledged = acknowledged
            return .success(())
        }
    }

    /// `WHERE relay_epoch = mine`.
    private func isTerm(_ relayEpoch: Int64) -> Bool {
        database.relay.relayEpoch == relayEpoch
    }

    func adopt(
        cluster: String?,
        acknowledged: [Int32: Int64],
        by relayEpoch: Int64
    ) async throws(EventLogError) {
        try await ask(outlivingSession: true) { [self] () -> Result<Void, EventLogError> in
            guard isTerm(relayEpoch) else { return .failure(.fenced) }
            database.relay.clusterID = cluster
            database.relay.acknowledged = acknowledged
            return .success(())
        }
    }

    /// A few at a time, so that whatever happens can happen in the middle.
    func published(in range: Range<Int64>) async throws(EventLogError) -> PublishedPage {
        try await ask { [self] in
            let found = database.relay.ledger.filter { range.contains($0.index) }
            let rows = Array(found.sorted { $0.index < $1.index }.prefix(8))
            let next = rows.last.map { $0.index + 1 } ?? range.upperBound
            return .success(PublishedPage(rows: rows, next: next))
        }
    }
}
