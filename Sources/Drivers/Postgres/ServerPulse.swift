package import Runtime

/// Tells a server that has stopped answering from a statement that takes long.
///
/// A connection whose answer has been away for `doubtAfter` asks; then a connection of the pulse's
/// own sends a statement that waits for nothing. When that is not answered within `beatMax` the
/// server counts as frozen: whoever waits hears so at once, and so do later statements, until it
/// answers again. Only such silence counts: a pulse without a connection knows nothing, so it does
/// not speak against connections that work, and any answer to any of them since it asked is life
/// (decision 0233). Nothing is disconnected, so a server that was only held up for a moment costs
/// nothing but the statements of that moment.
///
/// A server that lives may yet hold a commit up, for a synchronous standby that is silent. The
/// pulse asks about that, too, and counts the connections that stand so.
package final class ServerPulse: Sendable {
    /// How long an answer may stay away before the server is asked.
    package static let doubtAfter = Duration.milliseconds(200)
    /// How long the server may take to say that it lives.
    package static let beatMax = Duration.milliseconds(500)
    static let lookEvery = Duration.milliseconds(50)
    private static let pause = Duration.milliseconds(100)
    private static let questionMax = Duration.seconds(3)

    private struct State {
        var isRunning = false
        var isAsking = false
        var isFrozen = false
        /// When the last beat began.
        var asked = MonotonicInstant(nanoseconds: 0)
        /// When the last answer to any connection was read.
        var heard = MonotonicInstant(nanoseconds: 0)
        var heldUp = 0
        var isAskingWhy = false
    }

    private let loop: Loop
    private let keeper: ConnectionKeeper
    private let settings: ConnectionSettings
    private let statement: Statement<Void>
    private let question: @Sendable (_ process: Int32) -> Statement<Bool>
    private let onHoldUp: @Sendable (_ isHeldUp: Bool) -> Void
    private let state = Guarded(State())

    /// Connects with `settings` once started; the pulse that they name is not asked.
    ///
    /// `beat` takes no lock and reads no table. `question` is whether a server process waits for a
    /// synchronous standby. `onHoldUp` is called, on some loop, when the first connection stands
    /// so, and when the last one is answered.
    package init(
        _ settings: ConnectionSettings,
        on loop: Loop,
        beat: Statement<Void>,
        question: @escaping @Sendable (_ process: Int32) -> Statement<Bool>,
        onHoldUp: @escaping @Sendable (_ isHeldUp: Bool) -> Void
    ) {
        var settings = settings
        settings.pulse = nil
        self.settings = settings
        self.loop = loop
        statement = beat
        self.question = question
        self.onHoldUp = onHoldUp
        keeper = ConnectionKeeper(settings, on: loop)
    }

    /// Whether the server was asked last and has not answered; from any thread.
    package var isFrozen: Bool { state.withLock { $0.isFrozen } }

    /// Begins to connect; from any thread.
    package func start() {
        loop.post { [self] in
            state.withLock { $0.isRunning = true }
            keeper.start()
        }
    }

    /// Closes the connection and asks no more; from any thread.
    package func stop() {
        loop.post { [self] in
            state.withLock { ($0.isRunning, $0.isAsking, $0.isFrozen) = (false, false, false) }
            keeper.stop()
        }
    }

    /// An answer stays away: asks the server, unless that is under way; from any thread.
    func doubt() {
        let asks = state.withLock { state in
            guard state.isRunning, !state.isAsking else { return false }
            state.isAsking = true
            return true
        }
        guard asks else { return }
        loop.post { [self] in loop.spawn { [self] in await ask() } }
    }

    /// Some connection has been answered in a turn that began at `instant`; from any thread.
    ///
    /// Of a turn that began before the beat the answer may be older than a freeze.
    func hears(at instant: MonotonicInstant) {
        state.withLock { state in
            state.heard = max(state.heard, instant)
            if state.heard > state.asked { state.isFrozen = false }
        }
    }

    /// Whether a server process waits for a synchronous standby, as the server says; false also
    /// when it cannot be asked.
    ///
    /// Over a connection of its own, made now: the name may lead to another server by now, and then
    /// what the one before is about to say is not worth waiting for.
    func waitsForStandby(_ process: Int32, on loop: Loop) async -> Bool {
        // One question at a time: there may be no more room than for one connection.
        while !state.withLock({ state in
            defer { state.isAskingWhy = true }
            return !state.isAskingWhy
        }) { try? await loop.sleep(until: MonotonicInstant.now().advanced(by: Self.pause)) }
        defer { state.withLock { $0.isAskingWhy = false } }
        let deadline = MonotonicInstant.now().advanced(by: Self.questionMax)
        do throws(PostgresError) {
            let connection = try await Connection.connect(settings, on: loop, deadline: deadline)
            defer { connection.close() }
            return try await connection.query(question(process), deadline: deadline) == [true]
        } catch {
            // Full: it lives, and one connection less leaves it no less full.
            guard case .cannotConnect(_, let state) = error else { return false }
            return state == .tooManyConnections
        }
    }

    /// One connection more stands behind a commit that waits for a standby.
    func holdsUp() {
        let isFirst = state.withLock { state in
            state.heldUp += 1
            return state.heldUp == 1
        }
        if isFirst { onHoldUp(true) }
    }

    /// One less: its commit is answered, or it is closed.
    func holdsUpNoMore(isAnswered: Bool) {
        let isLast = state.withLock { state in
            state.heldUp -= 1
            return state.heldUp == 0
        }
        if isLast, isAnswered { onHoldUp(false) }
    }

    private func ask() async {
        while state.withLock({ state in
            state.asked = .now()
            return state.isRunning
        }) {
            let sign = await beat()
            state.withLock { state in
                switch sign {
                case .life: state.isFrozen = false
                case .silence: state.isFrozen = state.isRunning && state.heard <= state.asked
                case .nothing: break
                }
            }
            guard goesOnAsking else { return }
            try? await loop.sleep(until: MonotonicInstant.now().advanced(by: Self.pause))
            guard goesOnAsking else { return }
        }
    }

    /// As long as it is frozen: by now somebody else may have heard of it.
    private var goesOnAsking: Bool {
        state.withLock { state in
            state.isAsking = state.isFrozen
            return state.isFrozen
        }
    }

    private enum Sign {
        /// The server has answered, if only to refuse.
        case life
        /// A statement went out on an open connection, and nothing came back in time.
        case silence
        /// The server could not be asked: that says nothing of it.
        case nothing
    }

    private func beat() async -> Sign {
        let deadline = MonotonicInstant.now().advanced(by: Self.beatMax)
        do throws(PostgresError) {
            _ = try await keeper.query(statement, deadline: deadline)
            return .life
        } catch {
            switch error {
            case .server, .unexpectedRow: return .life
            case .deadlineExceeded(sent: true): return .silence
            case .deadlineExceeded(sent: false), .overloaded, .cannotConnect, .connectionLost,
                .notConnected:
                return isRefused ? .life : .nothing
            }
        }
    }

    /// Whether the pulse has no connection because it was told so: others may have theirs.
    private var isRefused: Bool {
        if case .cannotConnect = keeper.lastError { true } else { false }
    }
}
