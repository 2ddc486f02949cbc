internal import Postgres
internal import Runtime

/// Looks, over a connection of its own, whom a session waits for.
struct LockWatch: Sendable {
    private static let answerMax = Duration.seconds(3)

    private let process: Int32
    private let settings: ConnectionSettings
    private let loop: Loop
    private let found = Guarded<[LockHolder]>([])

    init(of process: Int32, on settings: ConnectionSettings, loop: Loop) {
        self.process = process
        self.settings = settings
        self.loop = loop
    }

    /// Whom it waited for when it did so last.
    var holders: [LockHolder] { found.current }

    /// Looks until it is cancelled, for the first time after `pause`: most steps are over by then,
    /// and need no second connection.
    ///
    /// Without an answer nobody is named; that is no reason to fail.
    func run(every pause: Duration) async {
        guard await rest(pause),
            let connection = try? await Connection.connect(settings, on: loop, deadline: soon)
        else { return }
        defer { connection.close() }
        repeat {
            let holders = try? await connection.query(.lockHolders(of: process), deadline: soon)
            if let holders, !holders.isEmpty { found.replace(with: holders) }
        } while await rest(pause)
    }

    private func rest(_ pause: Duration) async -> Bool {
        (try? await loop.sleep(until: MonotonicInstant.now().advanced(by: pause))) != nil
    }

    private var soon: MonotonicInstant { MonotonicInstant.now().advanced(by: Self.answerMax) }
}
