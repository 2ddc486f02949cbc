package import Postgres
package import Runtime

/// Looks at a server and a database from outside, for `chancery doctor` and `chancery dev`.
package struct ServerInspection: Sendable {
    /// What durability, publication and time rest on.
    package struct Facts: Hashable, Sendable {
        /// Such as 150020.
        package var version: Int32
        package var encoding: String
        /// Standbys whose confirmation a commit waits for; 0 for a role that is not told.
        package var synchronousStandbys: Int32
        /// Whether this role is told of other roles' sessions and of standbys.
        package var isToldOfAll: Bool
        /// The server's clock minus ours, in µs, with half of the round trip taken off.
        package var skewMicroseconds: Int64
    }

    private static let answerMax = Duration.seconds(10)

    private let connection: Connection

    /// Connects.
    ///
    /// - Throws: `.cannotConnect`, `.deadlineExceeded`.
    package init(_ settings: ConnectionSettings, on loop: Loop) async throws(PostgresError) {
        connection = try await Connection.connect(
            settings,
            on: loop,
            deadline: MonotonicInstant.now().advanced(by: Self.answerMax)
        )
    }

    /// Ends the connection.
    package func close() { connection.close() }

    /// Settings by name, in the units of `pg_settings`; unknown names are left out.
    package func settings(_ names: [String]) async throws(PostgresError) -> [String: String] {
        let rows = try await connection.query(.serverSettings(names), deadline: deadline)
        return Dictionary(rows.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// Asks the server about itself.
    package func facts() async throws(PostgresError) -> Facts {
        let begin = WallTime.nowMicroseconds()
        let rows = try await connection.query(.serverFacts, deadline: deadline)
        let middle = (begin + WallTime.nowMicroseconds()) / 2
        guard let row = rows.first else { throw .unexpectedRow(column: 0) }
        return Facts(
            version: connection.serverVersion,
            encoding: row.encoding,
            synchronousStandbys: row.standbys,
            isToldOfAll: row.isToldOfAll,
            skewMicroseconds: row.now - middle
        )
    }

    /// Who holds back what may be published or forgotten: the hundred oldest.
    package func horizonHolders() async throws(PostgresError) -> [HorizonHolder] {
        try await rows(.horizonHolders)
    }

    /// How far the read model of revocations is.
    package func projection() async throws(PostgresError) -> ProjectionFacts {
        let rows = try await connection.query(.projectionFacts, deadline: deadline)
        guard let row = rows.first else { throw .unexpectedRow(column: 0) }
        return row
    }

    /// How far the log's partitions reach.
    package func partitions() async throws(PostgresError) -> PartitionReach {
        let rows = try await connection.query(.partitionReach, deadline: deadline)
        guard let row = rows.first else { throw .unexpectedRow(column: 0) }
        return row
    }

    /// What one session left in the log, oldest first, at most 1,000 events.
    package func events(ofSession id: (UInt64, UInt64))
        async throws(PostgresError) -> [SessionEvent]
    {
        try await connection.query(.sessionEvents(id), deadline: deadline)
    }

    /// Reads rows.
    func rows<Row>(_ statement: Statement<Row>) async throws(PostgresError) -> [Row] {
        try await connection.query(statement, deadline: deadline)
    }

    private var deadline: MonotonicInstant { MonotonicInstant.now().advanced(by: Self.answerMax) }
}

/// A row of `server_facts.sql`.
struct ServerFactsRow: Sendable {
    var encoding: String
    var standbys: Int32
    var isToldOfAll: Bool
    var now: Int64
}

/// A row of `server_settings.sql`.
struct ServerSettingRow: Sendable {
    var name: String
    var value: String
}

extension Statement where Row == ServerSettingRow {
    static func serverSettings(_ names: [String]) -> Self {
        Statement(PackageResources.server_settings_sql, [.texts(names)]) {
            row throws(PostgresError) in
            ServerSettingRow(name: try row.text(0), value: try row.text(1))
        }
    }
}

extension Statement where Row == ServerFactsRow {
    static var serverFacts: Self {
        Statement(PackageResources.server_facts_sql) { row throws(PostgresError) in
            ServerFactsRow(
                encoding: try row.text(0),
                standbys: try row.int4(1),
                isToldOfAll: try row.bool(2),
                now: try row.timestamp(3)
            )
        }
    }
}
