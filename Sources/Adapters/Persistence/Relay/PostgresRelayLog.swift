package import Domain
internal import EventFormat
package import Postgres
package import Publishing
package import Runtime

// @unchecked: touched on `loop` alone.
/// The log, the lead and the ledger of one relay, over one direct connection of its own.
///
/// The lead is a lock of that session, so a connection that is lost loses the lead too; the next
/// `lead` connects again.
package final class PostgresRelayLog: @unchecked Sendable {
    private static let connectMax = Duration.seconds(3)
    /// When the server gives a statement up.
    ///
    /// First of all: one that goes on there, when this relay has let go, keeps the lead from all.
    package static let serverMax = Duration.seconds(4)
    /// When a statement is given up here; below `ConnectionSettings.silenceMax`.
    package static let statementMax = Duration.milliseconds(4500)

    private let settings: ConnectionSettings
    private let topic: String
    private let loop: Loop
    private let log: Log
    private let signal: LoopSignal
    /// Somebody says that there is something new; called on the loop.
    package var onNews: () -> Void = {}
    private var connection: Connection?
    private var lastProblem: PostgresError?

    /// Makes no connection yet; `topic` is the one that the cursor's events are on.
    package init(
        _ settings: ConnectionSettings,
        topic: String,
        on loop: Loop,
        log: Log
    ) {
        self.topic = topic
        var ofRelay = settings
        let milliseconds = Self.serverMax.clampedNanoseconds / 1_000_000
        ofRelay.options.append(("statement_timeout", "\(milliseconds)ms"))
        self.settings = ofRelay
        self.loop = loop
        self.log = log
        signal = LoopSignal(on: loop)
    }

    /// Whether a connection is up.
    package var isConnected: Bool { connection?.isOpen ?? false }

    /// Waits no longer for news; from the loop.
    package func wake() { signal.raise() }

    private func connect() async throws(EventLogError) -> Connection {
        if let connection, connection.isOpen { return connection }
        do throws(PostgresError) {
            let made = try await Connection.connect(
                settings,
                on: loop,
                deadline: loop.now.advanced(by: Self.connectMax)
            )
            made.onNotification = { [weak self] _ in
                self?.wake()
                self?.onNews()
            }
            made.onLoss = { [weak self] in self?.wake() }
            connection = made
            _ = try await made.execute(Statement(once: "LISTEN es"), deadline: deadline)
            lastProblem = nil
            return made
        } catch { throw give(up: error) }
    }

    private var session: Connection {
        get throws(EventLogError) {
            guard let connection, connection.isOpen else { throw .unavailable }
            return connection
        }
    }

    private var deadline: MonotonicInstant { .now().advanced(by: Self.statementMax) }

    private func ask<Row>(
        _ statement: Statement<Row>
    ) async throws(EventLogError) -> [Row] {
        let session = try session
        do { return try await session.query(statement, deadline: deadline) } catch {
            throw give(up: error)
        }
    }

    /// No row back means that the lead is another's.
    private func change(_ statement: Statement<Bool>) async throws(EventLogError) {
        let session = try session
        let rows: [Bool]
        do { rows = try await session.execute(statement, deadline: deadline) } catch {
            throw give(up: error)
        }
        if rows.isEmpty { throw .fenced }
    }

    /// After any error the session's state is not known: a new one starts clean.
    private func give(up error: PostgresError) -> EventLogError {
        connection?.close()
        connection = nil
        if case .unexpectedRow(let column) = error {
            return .unreadable("column \(column) of a row is not as expected")
        }
        if lastProblem != error {
            log.warning("the database is not usable now", .field("error", "\(error)"))
        }
        lastProblem = error
        return .unavailable
    }
}

extension PostgresRelayLog: RelayLeadership {
    package func lead() async throws(EventLogError) -> RelayTerm? {
        let connection = try await connect()
        do throws(PostgresError) {
            // As a write: a look-up may be sent twice, and a lock counts.
            let taken = try await connection.execute(LeadLock.relay.take, deadline: deadline)
            guard taken == [true] else { return nil }
            return try await connection.execute(.beginTerm(on: topic), deadline: deadline).first
        } catch { throw give(up: error) }
    }

    package func deposeHolder(silentFor silence: Duration) async throws(EventLogError) -> Bool {
        let seconds = Double(silence.clampedNanoseconds) / 1_000_000_000
        let connection = try await connect()
        do {
            let ended = try await connection.execute(
                .depose(silentForSeconds: seconds),
                deadline: deadline
            )
            if !ended.isEmpty { log.warning("ended a relay that showed no life") }
            return !ended.isEmpty
        } catch { throw give(up: error) }
    }

    package func showLife(of relayEpoch: Int64) async throws(EventLogError) {
        try await change(.showLife(of: relayEpoch))
    }

    package func resign() async {
        connection?.close()
        connection = nil
    }
}

extension PostgresRelayLog: EventLog {
    package func fence() async throws(EventLogError) -> Fence {
        guard let fence = try await ask(.fence).first else { throw .unavailable }
        return fence
    }

    package func rows(
        after place: LogPosition,
        belowFence: Bool
    ) async throws(EventLogError) -> [LogRow] {
        try await ask(.rows(after: place, belowFence: belowFence))
    }

    package func projectName(of project: ProjectNumber) async throws(EventLogError) -> ProjectID? {
        for row in try await ask(.projectConfigurations(of: [project])) {
            let event = try? EventFormat.decode(
                type: row.type,
                payload: row.payload,
                columns: row.columns
            )
            if case .projectConfig(.applied(let applied, _, _, _)) = event { return applied.id }
        }
        return nil
    }

    package func news(within time: Duration) async {
        await signal.wait(until: .now().advanced(by: time))
    }
}

extension PostgresRelayLog: PublishedLedger {
    package func record(
        _ rows: [NumberedRow],
        cursor: RelayCursor,
        acknowledged: [Int32: Int64],
        by relayEpoch: Int64
    ) async throws(EventLogError) {
        try await change(
            .record(rows, cursor: cursor, acknowledged: acknowledged, by: relayEpoch)
        )
    }

    package func adopt(
        cluster: String?,
        acknowledged: [Int32: Int64],
        by relayEpoch: Int64
    ) async throws(EventLogError) {
        try await change(
            .adopt(cluster: cluster, topic: topic, acknowledged: acknowledged, by: relayEpoch)
        )
    }

    package func published(in range: Range<Int64>) async throws(EventLogError) -> PublishedPage {
        let slots = try await ask(.published(in: range))
        let rows = slots.compactMap { slot in
            slot.row.map { NumberedRow(index: slot.index, row: $0) }
        }
        return PublishedPage(rows: rows, next: slots.last.map { $0.index + 1 } ?? range.upperBound)
    }
}
