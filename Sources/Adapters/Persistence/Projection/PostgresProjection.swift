package import Postgres
package import Publishing
package import Runtime

// @unchecked: touched on `loop` alone.
/// The revocation read model as its one writer sees it, over a connection of its own.
///
/// The lead is a lock of that session. After any error the connection is given up: the next `lead`
/// makes a new one, and reads where the model stands.
package final class PostgresProjection: @unchecked Sendable {
    /// Its name in the tables of positions.
    package static let name = "revocation"
    private static let statementMax = Duration.seconds(3)

    private let settings: ConnectionSettings
    private let loop: Loop
    private let log: Log
    private var connection: Connection?

    /// Makes no connection yet.
    package init(_ settings: ConnectionSettings, on loop: Loop, log: Log) {
        self.settings = settings
        self.loop = loop
        self.log = log
    }

    /// The database does not answer, or not as expected; the lead is gone with the session.
    package struct Unavailable: Error, Hashable, Sendable {}

    /// Whether a connection is up.
    package var isConnected: Bool { connection?.isOpen ?? false }

    /// Takes the lead, if nobody has it.
    package func lead() async throws(Unavailable) -> Bool {
        do throws(PostgresError) {
            if connection?.isOpen != true {
                connection = try await Connection.connect(settings, on: loop, deadline: deadline)
            }
            guard let connection else { return false }
            let taken = try await connection.execute(LeadLock.projector.take, deadline: deadline)
            return taken == [true]
        } catch { throw give(up: error) }
    }

    /// Gives the lead back.
    package func resign() {
        connection?.close()
        connection = nil
    }

    /// Where the model stands on `topic` of `cluster`, for partitions beginning at `lows`.
    ///
    /// Offsets of another cluster mean nothing there; last numbers do. Nil: the topic no longer has
    /// its first records, and this model never read them.
    package func progress(
        on topic: String,
        of cluster: String,
        lows: [Int32: Int64]
    ) async throws(Unavailable) -> ProjectionProgress? {
        guard let state = try await ask(.projectionLog(Self.name)).first else {
            throw Unavailable()
        }
        var offsets = lows
        var applied: [Int32: Int64] = [:]
        for row in try await ask(.projectionState(Self.name, topic, state.log)) {
            applied[row.partition] = row.lastIndex
            if row.clusterID.utf8.elementsEqual(cluster.utf8) {
                offsets[row.partition] = row.nextOffset
            }
        }
        let isWhole = lows.allSatisfy { $0.value == 0 || applied[$0.key] != nil }
        guard isWhole else { return nil }
        return ProjectionProgress(
            log: state.log,
            offsets: offsets,
            applied: applied,
            frontier: state.frontier
        )
    }

    /// Applies a batch and moves the position, in one transaction.
    package func apply(
        _ batch: ProjectionBatch,
        from topic: String,
        of cluster: String
    ) async throws(Unavailable) {
        var statements: [Statement<Void>] = []
        if !batch.revocations.isEmpty {
            statements.append(.add(batch.revocations, of: batch.progress.log))
        }
        statements += batch.sessions.map { .change($0) }
        statements.append(.move(Self.name, topic, cluster: cluster, to: batch.progress))
        let connection = try session()
        do { _ = try await connection.transaction(statements, deadline: deadline) } catch {
            throw give(up: error)
        }
    }

    /// Revocations that are not on Kafka yet, oldest first, at most 500.
    package func outbox() async throws(Unavailable) -> [RevocationRecord] { try await ask(.outbox) }

    /// Takes what is on Kafka from the outbox.
    package func published(_ records: [RevocationRecord]) async throws(Unavailable) {
        try await run(.clearOutbox(records.map(\.key)))
    }

    /// Forgets revocations whose tokens have all expired.
    package func dropOld() async throws(Unavailable) { try await run(.dropOldRevocations) }

    private var deadline: MonotonicInstant { .now().advanced(by: Self.statementMax) }

    private func session() throws(Unavailable) -> Connection {
        guard let connection, connection.isOpen else { throw Unavailable() }
        return connection
    }

    private func ask<Row>(_ statement: Statement<Row>) async throws(Unavailable) -> [Row] {
        let connection = try session()
        do { return try await connection.query(statement, deadline: deadline) } catch {
            throw give(up: error)
        }
    }

    private func run(_ statement: Statement<Void>) async throws(Unavailable) {
        let connection = try session()
        do { _ = try await connection.execute(statement, deadline: deadline) } catch {
            throw give(up: error)
        }
    }

    private func give(up error: PostgresError) -> Unavailable {
        log.warning("the database is not usable now", .field("error", "\(error)"))
        resign()
        return Unavailable()
    }
}
