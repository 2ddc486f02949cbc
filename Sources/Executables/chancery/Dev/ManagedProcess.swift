import Runtime

// @unchecked: touched on `loop` alone.
/// A child that is started again when it ends unasked, as a service manager would.
final class ManagedProcess: @unchecked Sendable {
    /// More restarts than this within a minute and it stays down.
    static let restartsPerMinuteMax = 5
    static let restartPause = Duration.seconds(1)

    let name: String
    private let loop: Loop
    private let command: ChildCommand
    private let stopMax: Duration
    /// The signal that ends it in order, and the one after that was ignored.
    private let endSignal: Int32
    private var child: ChildProcess?
    private var isWanted = false
    private var restarts: [MonotonicInstant] = []

    init(
        _ name: String,
        _ command: ChildCommand,
        on loop: Loop,
        endSignal: Int32 = 15,
        stopMax: Duration = .seconds(12)
    ) {
        self.name = name
        self.command = command
        self.loop = loop
        self.endSignal = endSignal
        self.stopMax = stopMax
    }

    var isRunning: Bool { child != nil }
    /// Where its output goes; nil: where ours goes.
    var logFile: String? { command.outputFile }
    var number: Int32? { child?.number }

    /// Starts it; from then on its end is noticed.
    func start() throws(CommandFailure) {
        loop.assertCurrent()
        isWanted = true
        do { child = try Processes.start(command) } catch {
            throw CommandFailure("cannot start \(name): \(error)")
        }
        loop.spawn { [self] in await watch() }
    }

    /// Ends it: asked first, then by force after `stopMax`.
    func stop() async {
        isWanted = false
        child?.signal(endSignal)
        await waitUntilEnded(stopMax)
        child?.signal(9)
        await waitUntilEnded(.seconds(5))
    }

    private func waitUntilEnded(_ limit: Duration) async {
        let deadline = MonotonicInstant.now().advanced(by: limit)
        while child != nil, MonotonicInstant.now() < deadline {
            try? await loop.sleep(until: MonotonicInstant.now().advanced(by: .milliseconds(20)))
        }
    }

    private func watch() async {
        while let running = child {
            let end = await running.wait(on: loop)
            child = nil
            guard isWanted else { return }
            Terminal.complain("  \(name) ended unasked: \(Self.text(end)); see \(logHint)")
            guard mayRestart() else {
                return Terminal.complain("  \(name) stays down: it ended too often")
            }
            try? await loop.sleep(until: MonotonicInstant.now().advanced(by: Self.restartPause))
            guard isWanted else { return }
            child = try? Processes.start(command)
        }
    }

    private var logHint: String { command.outputFile ?? "above" }

    private func mayRestart() -> Bool {
        let now = MonotonicInstant.now()
        restarts.append(now)
        restarts.removeAll { $0.advanced(by: .seconds(60)) < now }
        return restarts.count <= Self.restartsPerMinuteMax
    }

    private static func text(_ end: ChildProcess.End) -> String {
        switch end {
        case .exited(let code): "exit status \(code)"
        case .signalled(let number): "signal \(number)"
        }
    }
}
