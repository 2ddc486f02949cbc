package import Runtime

// @unchecked: touched on `loop` alone; each entry checks.
/// Keeps one connection of a loop alive: connects, and connects again when it goes.
///
/// Attempts are 25 ms to 1 s apart. A statement that finds no connection waits at most 500 ms for
/// one and then fails with `.notConnected`: a restart of the server is not noticed, an absence is
/// told at once.
package final class ConnectionKeeper: @unchecked Sendable {
    /// How long a statement waits for a connection.
    package static let patienceMax = Duration.milliseconds(500)
    private static let attemptMax = Duration.seconds(3)
    private static let pauseMin = Duration.milliseconds(50)
    private static let pauseMax = Duration.seconds(1)

    /// What to do with a new connection before anybody may use it, such as LISTEN.
    package typealias Preparation =
        @Sendable (_ connection: Connection) async throws(PostgresError) -> Void

    private let settings: ConnectionSettings
    private let loop: Loop
    private let prepare: Preparation
    private var current: Connection?
    private var isRunning = false
    /// How often `renew` was called: a connection that was begun before is not taken.
    private var renewals = 0
    private var waiting: [Waiter] = []
    private var lost: (() -> Void)?

    /// Why the last attempt failed; nil while connected.
    package private(set) var lastError: PostgresError?
    /// Called on the loop each time a connection is ready, and each time one is lost.
    package var onChange: ((_ isConnected: Bool) -> Void)?

    package init(
        _ settings: ConnectionSettings,
        on loop: Loop,
        prepare: @escaping Preparation = { _ throws(PostgresError) in }
    ) {
        self.settings = settings
        self.loop = loop
        self.prepare = prepare
    }

    /// Begins to connect; returns at once.
    package func start() {
        loop.assertCurrent()
        guard !isRunning else { return }
        isRunning = true
        loop.spawn { [self] in await run() }
    }

    /// Closes the connection and stays away.
    package func stop() {
        loop.assertCurrent()
        isRunning = false
        letGo()
    }

    /// Closes the connection, or the one that is being made, and connects again.
    package func renew() {
        loop.assertCurrent()
        renewals += 1
        letGo()
    }

    /// True while a connection is ready.
    package var isConnected: Bool { current?.isOpen ?? false }

    /// The connection, as soon as there is one.
    ///
    /// - Throws: `.notConnected` after 500 ms, or at the deadline when that is earlier.
    package func connection(
        by deadline: MonotonicInstant
    ) async throws(PostgresError) -> Connection {
        loop.assertCurrent()
        if let current, current.isOpen { return current }
        guard isRunning else { throw .notConnected }
        let limit = min(deadline, loop.now.advanced(by: Self.patienceMax))
        let waiter = Waiter()
        waiting.append(waiter)
        await loop.suspend { continuation in
            waiter.resume = { unsafe continuation.resume() }
            waiter.timer = loop.schedule(at: limit) { waiter.wake() }
        }
        waiting.removeAll { $0 === waiter }
        guard let current, current.isOpen else { throw .notConnected }
        return current
    }

    /// Reads rows, see `Connection.query`.
    package func query<Row>(
        _ statement: Statement<Row>,
        deadline: MonotonicInstant
    ) async throws(PostgresError) -> [Row] {
        try await connection(by: deadline).query(statement, deadline: deadline)
    }

    /// Runs one writing statement, see `Connection.execute`.
    package func execute<Row>(
        _ statement: Statement<Row>,
        deadline: MonotonicInstant
    ) async throws(PostgresError) -> [Row] {
        try await connection(by: deadline).execute(statement, deadline: deadline)
    }

    /// Runs statements in one transaction, see `Connection.transaction`.
    package func transaction(
        _ statements: [Statement<Void>],
        deadline: MonotonicInstant
    ) async throws(PostgresError) -> [Int] {
        try await connection(by: deadline).transaction(statements, deadline: deadline)
    }

    private func letGo() {
        lost?()
        current?.close()
        current = nil
    }

    private func run() async {
        var pause = Self.pauseMin
        while isRunning {
            let attempt = loop.now
            do throws(PostgresError) {
                try await connect()
                await untilLost()
                onChange?(false)
                // A connection that held for a while earns a quick first attempt.
                if MonotonicInstant.now().since(attempt) > Self.pauseMax { pause = Self.pauseMin }
            } catch {
                lastError = error
            }
            guard isRunning else { break }
            // Half to whole: nodes that lost the server together do not come back together.
            let jittered = pause * Double.random(in: 0.5...1)
            try? await loop.sleep(until: MonotonicInstant.now().advanced(by: jittered))
            pause = min(pause * 2, Self.pauseMax)
        }
        for waiter in waiting { waiter.wake() }
    }

    private func connect() async throws(PostgresError) {
        let deadline = MonotonicInstant.now().advanced(by: Self.attemptMax)
        let begun = renewals
        let connection = try await Connection.connect(settings, on: loop, deadline: deadline)
        do throws(PostgresError) {
            try await prepare(connection)
        } catch {
            connection.close()
            throw error
        }
        guard isRunning, renewals == begun, connection.isOpen else {
            connection.close()
            throw .notConnected
        }
        current = connection
        lastError = nil
        onChange?(true)
        for waiter in waiting { waiter.wake() }
    }

    private func untilLost() async {
        guard let current, current.isOpen else { return }
        await loop.suspend { continuation in
            let once = Waiter()
            once.resume = { unsafe continuation.resume() }
            lost = { once.wake() }
            current.onLoss = { once.wake() }
        }
        lost = nil
        self.current = nil
    }
}

/// A task parked until something happens or time is up, whichever comes first.
private final class Waiter {
    var resume: (() -> Void)?
    var timer: LoopTimer?

    func wake() {
        timer?.cancel()
        timer = nil
        resume?()
        resume = nil
    }
}
