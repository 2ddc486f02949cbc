package import Configuration
package import Runtime

/// What every process of ours does, from its first line to its last.
///
/// What is its own stands in its wiring, and what else it looks at before, in its `main`.
package struct ProcessFrame<Settings: ProcessSettings>: Sendable {
    package let invocation: ProcessInvocation
    package let settings: Settings
    package let writer: LogWriter
    package let log: Log
    package let metrics = Metrics()
    package let blocking = BlockingExecutor()
    /// The first runs on the main thread; the others have their own.
    package let loops: [Loop]
    let program: String
    private let lifecycle = Guarded<Lifecycle?>(nil)

    /// Finds out what else must be right, once settings, machine and files are; nothing is made.
    package typealias Look = (Settings, StartFiles, ProcessInvocation)
        throws(Component.StartFailure) -> Void

    /// All of it, in this order: the first line of a `main`.
    package static func run<Wiring: ProcessWiring>(
        _: Wiring.Type,
        _ program: String,
        _ purpose: String,
        look: Look = { _, _, _ in }
    ) -> Never where Wiring.Settings == Settings {
        Lifecycle.prepare()
        Lifecycle.forbidDumps()
        let invocation = ProcessInvocation.read(program, purpose)
        let settings = invocation.startSettings(Settings.init)
        let files = settings.startFiles
        if let refusal = invocation.refusal(program, files: files.refusals) {
            ThisProcess.end(refusal, .configuration)
        }
        do throws(Component.StartFailure) {
            try look(settings, files, invocation)
            let loops = Wiring.loopNames(settings)
            let frame = try Self(program, settings, invocation, loops: loops)
            let wiring = try Wiring(frame)
            guard invocation.isCheck else { ThisProcess.exitNow(frame.live(wiring).rawValue) }
            frame.check(wiring.checks()) { wiring.gate.verdict }
        } catch { ThisProcess.end("\(program): \(error.reason)", error.exitCode) }
    }

    /// What the objects of a process are made of.
    ///
    /// - Throws: `.failure` when there can be no loop.
    package init(
        _ program: String,
        _ settings: Settings,
        _ invocation: ProcessInvocation,
        loops names: [String]
    ) throws(Component.StartFailure) {
        self.program = program
        self.settings = settings
        self.invocation = invocation
        writer = LogWriter(level: settings.log.level)
        log = Log(writer, context: [.field("node", settings.node.name)])
        var loops: [Loop] = []
        for name in names {
            do { loops.append(try Loop(name: name)) } catch {
                throw Component.StartFailure(.failure, "no loop: \(error)")
            }
        }
        self.loops = loops
    }

    package var isInsecureDev: Bool { invocation.isInsecureDev }

    package var loop: Loop { loops[0] }

    /// Whether every loop has turned within 5 s.
    var isAlive: @Sendable () -> Bool {
        { [loops] in loops.allSatisfy(\.isTurning) }
    }

    /// Serves until the process is told to end.
    private func live(_ wiring: some ProcessWiring) -> ExitCode {
        let components = wiring.components()
        return whileLoopsTurn {
            let made = Lifecycle(on: loop, log: log, notice: wiring.notice, components)
            lifecycle.replace(with: made)
            RuntimeMetrics.publish(made, to: metrics)
            // One alone turns when it is asked.
            if loops.count > 1 { made.isAlive = isAlive }
            return made.run()
        }
    }

    /// Ends the process in order, with `code`, once it lives; from any thread.
    package func end(_ code: ExitCode) { lifecycle.current?.end(code) }

    /// Ends a check, which asks once what a start asks: with `verdict` when nothing is wrong.
    package func check(_ components: [Component], verdict: () -> String) -> Never {
        let code = ask(components) ?? .failure
        guard code == .success else { ThisProcess.exit(code.rawValue) }
        ThisProcess.end(verdict(), .success)
    }

    /// Asks `components` as `Lifecycle.check` does; once, because a loop runs once.
    package func ask(_ components: [Component]) -> ExitCode? {
        whileLoopsTurn { Lifecycle.check(on: loop, log: log, components) }
    }

    /// Runs `body`, which turns the first loop, and ends the others and the log after it.
    private func whileLoopsTurn<Code>(_ body: () -> Code) -> Code {
        for loop in loops.dropFirst() { loop.start() }
        defer {
            for loop in loops.dropFirst() {
                loop.stop()
                loop.join()
            }
            writer.flush()
        }
        return body()
    }
}
