internal import Postgres
internal import Runtime

// @unchecked: touched on `loop` alone.
/// Writes one transaction while whoever made it makes the next.
final class WriteBehind: @unchecked Sendable {
    private let connection: Connection
    private let answerMax: Duration
    private let loop: Loop
    private let signal: LoopSignal
    private var isWriting = false
    private var failure: PostgresError?

    /// Over a connection that nobody else writes to; a transaction has `answerMax`.
    init(_ connection: Connection, on loop: Loop, answerMax: Duration) {
        self.connection = connection
        self.answerMax = answerMax
        self.loop = loop
        signal = LoopSignal(on: loop)
    }

    /// Begins to write, once what was given before is committed.
    ///
    /// - Throws: why that was not, and nothing is written from then on.
    func write(_ statements: [Statement<Void>]) async throws(PostgresError) {
        try await settle()
        isWriting = true
        loop.spawn { [self] in
            do throws(PostgresError) {
                let deadline = MonotonicInstant.now().advanced(by: answerMax)
                _ = try await connection.transaction(statements, deadline: deadline)
            } catch { failure = error }
            isWriting = false
            signal.raise()
        }
    }

    /// Waits until all that was given is committed.
    ///
    /// - Throws: why it was not.
    func settle() async throws(PostgresError) {
        while isWriting { await signal.wait(until: .now().advanced(by: .seconds(1))) }
        if let failure { throw failure }
    }
}
