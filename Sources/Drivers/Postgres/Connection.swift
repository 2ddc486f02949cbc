internal import CPostgres
package import Runtime

// @unchecked: touched on `loop` alone; each entry checks.
/// One connection to PostgreSQL in pipeline mode, owned by one loop.
///
/// Look-ups of a loop turn share one Sync and so one transaction and one round trip; each write has
/// its own. At most 64 statements wait at a time. A connection never reconnects: `ConnectionKeeper`
/// makes a new one.
@safe package final class Connection: @unchecked Sendable {
    /// Statements that may wait on one connection.
    package static let pendingMax = 64
    /// Named statements one connection keeps; more are parsed anew each time.
    static let preparedMax = 256

    let loop: Loop
    let silenceMax: Duration
    let pulse: ServerPulse?
    /// Nil once closed.
    var handle: OpaquePointer?
    var watch: Watch?
    var pipeline = Pipeline()
    var outgoing: [Outgoing] = []
    var isFlushScheduled = false
    var prepared = PreparedStatements()
    var script: ScriptRequest?
    var sweep: LoopTimer?
    var lastProgress: MonotonicInstant
    /// When the server last said that a commit of ours waits for its standby; nil once it answers.
    var toldToWait: MonotonicInstant?
    var isAskingWhy = false
    var scratch = SendBuffer()

    /// What waits for the end of the turn.
    enum Outgoing {
        case lookUp(Request)
        case write(Request)
        case transaction(TransactionRequest)
        case script(ScriptRequest)
    }

    /// Called once, on the loop, when the connection has gone; not after `close`.
    package var onLoss: (() -> Void)?
    /// Called on the loop for every NOTIFY on a channel this session listens to.
    package var onNotification: ((_ channel: String) -> Void)?

    init(_ handle: OpaquePointer, on loop: Loop, silenceMax: Duration, pulse: ServerPulse?) {
        self.loop = loop
        self.pulse = pulse
        unsafe self.handle = handle
        self.silenceMax = silenceMax
        lastProgress = loop.now
        // Weak: one that is let go without `close` closes its socket, and a child that is between
        // fork and exec at that moment keeps it open, so the loop may still hear of it.
        watch = loop.watch(unsafe PQsocket(handle), .readable) { [weak self] readiness in
            self?.ready(readiness)
        }
    }

    deinit { if let handle = unsafe handle { unsafe PQfinish(handle) } }

    /// False once it is closed or lost.
    package var isOpen: Bool { unsafe handle != nil }

    /// The server process, as `pg_stat_activity` names it; 0 once closed.
    package var serverProcess: Int32 {
        guard let handle = unsafe handle else { return 0 }
        return unsafe PQbackendPID(handle)
    }

    /// The server's version, such as 150020; 0 once closed.
    package var serverVersion: Int32 {
        guard let handle = unsafe handle else { return 0 }
        return unsafe PQserverVersion(handle)
    }

    /// Reads rows; it may share a transaction with others, and be sent twice.
    ///
    /// - Throws: `.server` for its own fault only: what another's error aborted is sent again.
    package func query<Row>(
        _ statement: Statement<Row>,
        deadline: MonotonicInstant
    ) async throws(PostgresError) -> [Row] {
        try await rows(of: statement, deadline: deadline) { .lookUp($0) }
    }

    /// Runs one writing statement in a transaction of its own; returns after the commit.
    ///
    /// - Throws: an error whose `isOutcomeUnknown` is true when it may have been applied.
    package func execute<Row>(
        _ statement: Statement<Row>,
        deadline: MonotonicInstant
    ) async throws(PostgresError) -> [Row] {
        try await rows(of: statement, deadline: deadline) { .write($0) }
    }

    /// Runs statements in one transaction, all or none; how many rows each affected.
    ///
    /// - Throws: the first error; as `execute` for unknown outcomes.
    package func transaction(
        _ statements: [Statement<Void>],
        deadline: MonotonicInstant
    ) async throws(PostgresError) -> [Int] {
        guard !statements.isEmpty else { return [] }
        loop.assertCurrent()
        let answer = await loop.suspend { waiting in
            let request = TransactionRequest(statements, deadline: deadline) {
                unsafe waiting.resume(returning: $0)
            }
            submit(.transaction(request), deadline: deadline)
        }
        return try answer.get()
    }

    /// Runs a text of several statements, without parameters, in the transactions it names itself.
    ///
    /// For migrations: it waits until nothing else is under way, and nothing else runs meanwhile.
    package func run(
        script: [UInt8],
        deadline: MonotonicInstant
    ) async throws(PostgresError) {
        loop.assertCurrent()
        let answer = await loop.suspend { waiting in
            let request = ScriptRequest(script, deadline: deadline) {
                unsafe waiting.resume(returning: $0)
            }
            submit(.script(request), deadline: deadline)
        }
        try answer.get()
    }

    /// Ends the connection; whoever still waits hears `.notConnected` or `.connectionLost`.
    package func close() {
        loop.assertCurrent()
        onLoss = nil
        lose()
    }

    private func rows<Row>(
        of statement: Statement<Row>,
        deadline: MonotonicInstant,
        _ kind: (Request) -> Outgoing
    ) async throws(PostgresError) -> [Row] {
        loop.assertCurrent()
        let answer = await loop.suspend { waiting in
            let request = RowsRequest(statement, deadline: deadline) {
                unsafe waiting.resume(returning: $0)
            }
            submit(kind(request), deadline: deadline)
        }
        return try answer.get()
    }
}
