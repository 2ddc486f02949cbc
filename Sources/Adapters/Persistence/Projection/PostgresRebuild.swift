package import Domain
package import Postgres
package import Publishing
package import Runtime

// @unchecked: touched on `loop` alone.
/// Makes the read models of revocations anew from the log, beside those in service, and puts them
/// in their place (Events 11).
///
/// It goes on where it was interrupted. Every step is a transaction of its own, far below a second,
/// so that no relay waits for it.
package final class PostgresRebuild: @unchecked Sendable {
    /// How far it is.
    package struct Progress: Hashable, Sendable {
        /// The log it is made from.
        package var log: StreamID
        /// The model that is made.
        package var generation: Int32
        /// Everything up to this number is in it; -1 before the first.
        package var frontier: Int64
        /// The last number there is.
        package var head: Int64
        /// Streams with an event that this program cannot read.
        package var blocked: [BlockedKey]
        /// By how much the database's clock is ahead of ours, in ms.
        package var skewMilliseconds: Int64
    }

    /// What the new model has that the one before had not, and the other way round.
    package struct Difference: Hashable, Sendable {
        /// Revocations to be published (again).
        package var added: Int64
        /// Revocations that only the one before had.
        package var gone: Int64
    }

    /// What `chancery.finish_rebuild` raises.
    private static let isAhead = SQLState("ES007")
    /// What it raises when revocations of living tokens would be gone.
    package static let loses = SQLState("ES009")
    /// The schema has changed since the rebuild was begun.
    package static let outdated = SQLState("ES008")
    /// Another rebuild is under way.
    package static let isOther = SQLState("ES006")
    private static let questionMax = Duration.seconds(60)

    private let settings: ConnectionSettings
    private let topic: String
    private let loop: Loop
    private let patience: LockPatience
    private let ourTime: @Sendable () -> Instant
    private var reading: Connection?
    private var writing: Connection?
    /// With the events of the step that is being written.
    private var progress: ProjectionProgress?
    private var ahead: LedgerAhead?
    private var behind: WriteBehind?
    /// Who held a lock for longer than `begin` or `finish` wait, where they failed for that.
    package private(set) var lockHolders: [LockHolder] = []
    /// The database's time when it was right last: what had expired then is left out.
    private var time = Instant(microseconds: 0)

    /// Makes no connection yet; the settings name a role that may become the owner of the schema.
    package init(
        _ settings: ConnectionSettings,
        topic: String,
        on loop: Loop,
        patience: LockPatience = LockPatience(),
        ourTime: @escaping @Sendable () -> Instant = {
            Instant(microseconds: WallTime.nowMicroseconds())
        }
    ) {
        var settings = settings
        settings.silenceMax = Self.questionMax
        settings.options += [
            ("statement_timeout", "0"), ("role", "chancery_owner"),
            ("lock_timeout", "\(patience.lockMilliseconds)"),
            // Whoever gives up, or is ended, leaves nothing behind that goes on and holds locks.
            ("client_connection_check_interval", "1s"),
            // As the processes' roles have it: every statement has its index.
            ("plan_cache_mode", "force_generic_plan"), ("enable_seqscan", "off"),
            ("enable_bitmapscan", "off"), ("jit", "off"),
        ]
        self.settings = settings
        self.topic = topic
        self.loop = loop
        self.patience = patience
        self.ourTime = ourTime
    }

    /// Makes an empty model, or finds the one that was begun, unless that is to be dropped.
    ///
    /// - Throws: with state `isOther` beside another rebuild; `lockNotAvailable` as `finish`.
    package func begin(restart: Bool) async throws(PostgresError) -> Progress {
        let reading = try await connect(to: "revocation")
        self.reading = reading
        let rows = try await yielding(on: reading, .beginRebuild(restart))
        guard let generation = rows.first else { throw .unexpectedRow(column: 0) }
        let writing = try await connect(to: "revocation_g\(generation)")
        self.writing = writing
        guard let state = try await writing.query(.rebuildState, deadline: deadline).first else {
            throw .unexpectedRow(column: 0)
        }
        progress = ProjectionProgress(
            log: state.log,
            generation: generation,
            offsets: [:],
            applied: [:],
            frontier: state.frontier
        )
        ahead = LedgerAhead(reading, on: loop, after: state.frontier)
        behind = WriteBehind(writing, on: loop, answerMax: Self.questionMax)
        return try await look()
    }

    /// How far it is, and how far it has to go, and whether the clocks agree.
    ///
    /// What has expired is told by the database's clock. One that is wrong tells nothing: it would
    /// leave out what is still needed.
    package func look() async throws(PostgresError) -> Progress {
        guard let reading, let writing, let behind, let progress else { throw .notConnected }
        try await behind.settle()
        let head = try await reading.query(.ledgerHead, deadline: deadline).first ?? -1
        let blocked = try await writing.query(.rebuildBlocked, deadline: deadline)
        let asked = ourTime()
        guard let theirs = try await reading.query(.serverClock, deadline: deadline).first else {
            throw .unexpectedRow(column: 0)
        }
        let skew = ClockSkew.milliseconds(of: theirs, askedAt: asked, answeredAt: ourTime())
        if !ClockSkew.isWrong(skew) { time = theirs }
        return Progress(
            log: progress.log,
            generation: progress.generation,
            frontier: progress.frontier,
            head: head,
            blocked: blocked,
            skewMilliseconds: skew
        )
    }

    /// Takes the next events, which are written while the step after this one is made; false when
    /// there are none.
    ///
    /// - Throws: also why those of the step before were not written.
    package func step() async throws(PostgresError) -> Bool {
        guard let behind, let progress, let ahead else { throw .notConnected }
        guard let range = try await ahead.next() else {
            try await behind.settle()
            return false
        }
        // PostgreSQL looks for the run after this one while this one is reckoned with.
        await loop.nextTurn()
        var batch = ProjectionBatch(after: progress, versions: [:])
        batch.take(range)
        batch.forget(expiredBefore: time.adding(seconds: -60))
        let statements = batch.statements(
            of: PostgresProjection.name,
            on: topic,
            cluster: "",
            isLive: false
        )
        try await behind.write(statements)
        self.progress = batch.progress
        return true
    }

    /// Puts the model in service; its reader goes on at these offsets.
    ///
    /// Everything before them must be in it. Nil when the model in service is ahead of it and has
    /// stopped keys, or revocations beyond it that came late or of clients that left again: take
    /// the next steps, and ask again.
    ///
    /// - Throws: with state `loses` when revocations of living tokens would be gone, unless that is
    ///   wanted; `outdated` when a migration was made since it was begun; `lockNotAvailable` when
    ///   `lockHolders` would have kept the feed and the projector waiting behind it.
    package func finish(
        on cluster: String,
        offsets: [Int32: Int64],
        losesRevocations: Bool = false
    ) async throws(PostgresError) -> Difference? {
        guard let reading, let behind, let progress else { throw .notConnected }
        try await behind.settle()
        let rows: [Difference]
        do throws(PostgresError) {
            rows = try await yielding(
                on: reading,
                .finishRebuild(
                    progress.generation,
                    topic,
                    cluster,
                    offsets,
                    losesRevocations: losesRevocations
                )
            )
        } catch {
            guard error.state == Self.isAhead else { throw error }
            return nil
        }
        guard let difference = rows.first else { throw .unexpectedRow(column: 0) }
        return difference
    }

    /// Ends the connections.
    package func close() {
        ahead = nil
        behind = nil
        reading?.close()
        writing?.close()
    }

    private var deadline: MonotonicInstant { .now().advanced(by: Self.questionMax) }

    /// Both are one transaction that locks tables against everybody, as a dump reads them.
    private func yielding<Row>(
        on connection: Connection,
        _ statement: Statement<Row>
    ) async throws(PostgresError) -> [Row] {
        try await patience.yielding(
            on: connection,
            settings,
            loop,
            isForLocks: { $0.state?.isRetryable ?? false },
            blocked: { holders, error in
                lockHolders = holders
                return error
            },
            { () async throws(PostgresError) in
                try await connection.execute(statement, deadline: deadline)
            }
        )
    }

    private func connect(to schema: String) async throws(PostgresError) -> Connection {
        var settings = settings
        settings.options += [
            ("search_path", schema),
            // A crash costs at most the last steps, which are taken again.
            ("synchronous_commit", schema == "revocation" ? "on" : "off"),
        ]
        return try await Connection.connect(settings, on: loop, deadline: deadline)
    }
}
