package import Postgres
package import Runtime

/// Brings a database forward, step by step, and tells whether it is where the program needs it.
///
/// Steps only go forward. Each runs in a transaction with its row in `chancery.migrations`; two
/// migrators at once take turns, and the second finds nothing to do.
package struct Migrator: Sendable {
    private static let connectMax = Duration.seconds(10)
    private static let questionMax = Duration.seconds(10)
    /// A step that rewrites a large table takes its time; waiting for the lock does too.
    private static let stepMax = Duration.seconds(3600)

    private let steps: [Migration]
    private let settings: ConnectionSettings
    private let loop: Loop
    private let patience: LockPatience

    /// Takes all steps there are, in order, numbered from 1.
    package init(
        _ steps: [Migration],
        on settings: ConnectionSettings,
        loop: Loop,
        patience: LockPatience = LockPatience()
    ) {
        self.steps = steps
        self.settings = settings
        self.loop = loop
        self.patience = patience
    }

    /// The steps still to be taken: what `apply` would do.
    ///
    /// - Throws: `.changed`, `.unknown` and `.unrecorded` when program and database cannot be
    ///   reconciled.
    package func pending() async throws(MigrationError) -> [Migration] {
        let connection = try await connect()
        defer { connection.close() }
        return try pending(behind: try await knownSteps(on: connection))
    }

    /// The partitions that `apply` would make in a database that has taken the step which makes the
    /// log's table.
    ///
    /// Changes nothing.
    package func missingPartitions() async throws(MigrationError) -> [String] {
        let connection = try await connect()
        defer { connection.close() }
        return try await run(.missingPartitions, on: connection, within: Self.questionMax)
    }

    /// Refuses unless the database has taken exactly the steps this program knows.
    package func check() async throws(MigrationError) {
        let connection = try await connect()
        defer { connection.close() }
        let missing = try pending(behind: try await appliedSteps(on: connection))
        guard missing.isEmpty else { throw .pending(missing) }
    }

    /// Takes all pending steps and makes sure that the coming months have partitions.
    ///
    /// `taken` is told of each step once it is committed.
    ///
    /// - Returns: the partitions that were made.
    /// - Throws: `.failed` at the first step that fails, `.blocked` at one that gets no lock; those
    ///   before it stay. `.rebuilding` while a read model is rebuilt, before any step.
    @discardableResult
    package func apply(
        taken: (_ step: Migration) -> Void = { _ in }
    ) async throws(MigrationError) -> [String] {
        let connection = try await connect()
        defer { connection.close() }
        try await run(.lockMigrations, on: connection, within: Self.stepMax)
        let steps = try pending(behind: try await knownSteps(on: connection))
        if !steps.isEmpty,
            try await run(.holdOffRebuilds, on: connection, within: Self.questionMax) != [true]
        {
            throw .rebuilding
        }
        for step in steps {
            try await yielding(step.fileName, on: connection) { () async throws(MigrationError) in
                try await take(step, on: connection)
            }
            taken(step)
        }
        var made: [String] = []
        try await yielding("a new partition", on: connection) { () async throws(MigrationError) in
            made = try await addPartitions(on: connection)
        }
        return made
    }

    /// Whether a topic of this name on this cluster was told of revocations that live and that
    /// nobody would tell it again: made anew it would lack them.
    ///
    /// Asks the tables of step 25. Changes nothing.
    package func isTold(topic: String, on cluster: String) async throws(MigrationError) -> Bool {
        let connection = try await connect()
        // What it became for the question it is no longer then.
        defer { connection.close() }
        do throws(PostgresError) {
            let start = "BEGIN;\n\(Self.joinOwner)SET LOCAL ROLE chancery_owner"
            try await run(script: Array(start.utf8), on: connection)
        } catch { throw .database(error) }
        let told = Statement<Bool>.isTold(topic: topic, on: cluster)
        return try await run(told, on: connection, within: Self.stepMax) == [true]
    }

    /// Around whatever is done as the owner, in one transaction: nobody stays its member.
    private static let joinOwner = String(
        decoding: PackageResources.join_owner_sql,
        as: UTF8.self
    )
    private static let leaveOwner = PackageResources.leave_owner_sql + Array("COMMIT".utf8)

    private func yielding(
        _ what: String,
        on connection: Connection,
        _ transaction: () async throws(MigrationError) -> Void
    ) async throws(MigrationError) {
        try await patience.yielding(
            on: connection,
            settings,
            loop,
            isForLocks: \.isForLocks,
            blocked: { holders, _ in .blocked(what, by: holders) },
            transaction
        )
    }

    private func take(_ step: Migration, on connection: Connection) async throws(MigrationError) {
        // The first step becomes the owner itself, once that owns something.
        let role = step.version == 1 ? "" : "SET LOCAL ROLE chancery_owner;\n"
        let start =
            "BEGIN;\n\(patience.limit)SET LOCAL search_path = '';\n\(Self.joinOwner)\(role)"
        do throws(PostgresError) {
            try await run(script: Array(start.utf8) + step.sql, on: connection)
            let record = Statement.recordMigration(step)
            _ = try await connection.execute(record, deadline: deadline(Self.questionMax))
            try await run(script: Self.leaveOwner, on: connection)
        } catch {
            // Where that fails, too, the connection is gone and the transaction with it.
            try? await run(script: Array("ROLLBACK".utf8), on: connection)
            guard case .server(let refusal) = error else { throw .database(error) }
            let line = refusal.position.flatMap {
                Self.line(ofCharacter: $0 - start.count, in: step.sql)
            }
            throw .failed(step, refusal, line: line)
        }
    }

    private func addPartitions(
        on connection: Connection
    ) async throws(MigrationError) -> [String] {
        do throws(PostgresError) {
            let start = "BEGIN;\n\(patience.limit)\(Self.joinOwner)SET LOCAL ROLE chancery_owner"
            try await run(script: Array(start.utf8), on: connection)
            let made = try await connection.execute(
                Statement.ensurePartitions,
                deadline: deadline(Self.questionMax)
            )
            try await run(script: Self.leaveOwner, on: connection)
            return made
        } catch {
            try? await run(script: Array("ROLLBACK".utf8), on: connection)
            throw .database(error)
        }
    }

    private func run(
        script: [UInt8],
        on connection: Connection
    ) async throws(PostgresError) {
        try await connection.run(script: script, deadline: deadline(Self.stepMax))
    }

    /// What the database has taken; none when it was never migrated.
    private func appliedSteps(on connection: Connection)
        async throws(MigrationError) -> [AppliedMigration]
    {
        guard try await run(.hasMigrations, on: connection, within: Self.questionMax) == [true]
        else { return [] }
        return try await run(.appliedMigrations, on: connection, within: Self.questionMax)
    }

    /// As above, for who migrates: a role that may create roles reads as the owner, in its turn,
    /// what it may not read itself.
    private func knownSteps(on connection: Connection)
        async throws(MigrationError) -> [AppliedMigration]
    {
        let refused: MigrationError
        do { return try await appliedSteps(on: connection) } catch {
            guard case .database(let problem) = error, problem.state == .insufficientPrivilege
            else { throw error }
            refused = error
        }
        try await run(.lockMigrations, on: connection, within: Self.stepMax)
        do {
            let start = "BEGIN;\n\(Self.joinOwner)SET LOCAL ROLE chancery_owner"
            try await run(script: Array(start.utf8), on: connection)
            let applied = try await appliedSteps(on: connection)
            try await run(script: Self.leaveOwner, on: connection)
            return applied
        } catch {
            try? await run(script: Array("ROLLBACK".utf8), on: connection)
            throw refused
        }
    }

    private func pending(behind applied: [AppliedMigration]) throws(MigrationError) -> [Migration] {
        for found in applied {
            guard let step = steps.first(where: { $0.version == found.version }) else {
                throw .unknown(version: found.version, name: found.name)
            }
            guard step.name == found.name, step.checksum == found.checksum else {
                throw .changed(step)
            }
        }
        let last = applied.last?.version ?? 0
        let unrecorded = steps.filter { step in
            step.version < last && !applied.contains { $0.version == step.version }
        }
        guard unrecorded.isEmpty else { throw .unrecorded(unrecorded) }
        return steps.filter { $0.version > last }
    }

    private func connect() async throws(MigrationError) -> Connection {
        var settings = settings
        settings.silenceMax = Self.stepMax
        settings.options += [
            ("statement_timeout", "0"), ("lock_timeout", "0"),
            // Whoever gives up, or is ended, leaves nothing behind that goes on and holds locks.
            ("client_connection_check_interval", "1s"),
        ]
        do {
            return try await Connection.connect(
                settings,
                on: loop,
                deadline: deadline(Self.connectMax)
            )
        } catch { throw .database(error) }
    }

    @discardableResult
    private func run<Row>(
        _ statement: Statement<Row>,
        on connection: Connection,
        within limit: Duration
    ) async throws(MigrationError) -> [Row] {
        do { return try await connection.execute(statement, deadline: deadline(limit)) } catch {
            throw .database(error)
        }
    }

    private func deadline(_ limit: Duration) -> MonotonicInstant {
        MonotonicInstant.now().advanced(by: limit)
    }

    /// Characters and lines count from 1; PostgreSQL counts characters, not bytes.
    private static func line(ofCharacter position: Int, in sql: [UInt8]) -> Int? {
        guard position > 0 else { return nil }
        var characters = 0
        var line = 1
        for byte in sql {
            if byte & 0xC0 != 0x80 { characters += 1 }
            if characters >= position { return line }
            if byte == UInt8(ascii: "\n") { line += 1 }
        }
        return line
    }
}
