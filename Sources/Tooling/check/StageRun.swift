import Foundation

/// One stage being run: the command, and how its output is read.
struct StageRun: Sendable {
    private let stage: Stage
    private let folder: URL
    private let environment: [String: String]
    private let givesWay: Bool
    private let children: Children

    /// `isBeside`: others run meanwhile.
    init(
        _ stage: Stage,
        _ folder: URL,
        _ environment: [String: String],
        isBeside: Bool,
        _ children: Children
    ) {
        self.stage = stage
        self.children = children
        self.folder = folder
        self.environment = environment.merging(stage.environment) { $1 }
        givesWay = isBeside && stage.givesWay
    }

    func outcome() -> Outcome {
        switch stage.work {
        case .command(let words): command(words)
        case .lines(let words): lines(words)
        case .tests(let targets, let except, let arguments, let serially):
            tests(targets, except, arguments, serially)
        }
    }

    private func launch(_ words: [String]) -> (status: Int32, Command) {
        let command = Command(
            words: words,
            environment: environment,
            secondsMax: stage.secondsMax,
            log: folder.appending(path: "\(stage.name).log"),
            givesWay: givesWay
        )
        return (command.run(children), command)
    }

    private func command(_ words: [String]) -> Outcome {
        var outcome = Outcome()
        let (status, command) = launch(words)
        if status == 0 {
            outcome.tally.passed = 1
        } else {
            outcome.fail("\(words.joined(separator: " ")): \(ending(status))")
            outcome.failures.append(command.complaints())
        }
        return outcome
    }

    private func lines(_ words: [String]) -> Outcome {
        var outcome = Outcome()
        let (status, command) = launch(words)
        let text = (try? String(contentsOf: command.log, encoding: .utf8)) ?? ""
        for line in text.split(separator: "\n") {
            if line.hasPrefix("ok ") { outcome.tally.passed += 1 }
            if line.hasPrefix("not ok ") { outcome.fail(String(line.dropFirst(7))) }
            if line.hasPrefix("skip ") {
                outcome.tally.skipped += 1
                outcome.skips.append(String(line.dropFirst(5)))
            }
        }
        if status != 0, outcome.tally.failed == 0 {
            outcome.fail("\(words.joined(separator: " ")): \(ending(status))")
            outcome.failures.append(command.tail(30))
        }
        return outcome
    }

    private func tests(
        _ targets: [String],
        _ except: [String],
        _ arguments: [String],
        _ serially: Bool
    ) -> Outcome {
        let stream = folder.appending(path: "\(stage.name).events")
        try? FileManager.default.removeItem(at: stream)
        var words =
            arguments.isEmpty
            ? Self.bundle
            : ["swift", "test", "--disable-xctest"] + arguments + Stage.checkImports
        if serially { words.append("--no-parallel") }
        for target in targets {
            words += ["--filter", target.hasPrefix("^") ? target : "^\(target)\\."]
        }
        for suite in except { words += ["--skip", suite] }
        words += ["--event-stream-output-path", stream.path, "--event-stream-version", "0"]
        let (status, command) = launch(words)
        let text = (try? String(contentsOf: stream, encoding: .utf8)) ?? ""
        let events = TestEvents(text)
        var outcome = events.outcome
        for target in targets where events.count(of: target) == 0 {
            outcome.fail("\(target) ran no test")
        }
        if status != 0, outcome.tally.failed == 0 {
            outcome.fail("the tests: \(ending(status))")
        }
        // One: tests failed, and said so. Anything else is a crash or an end by force.
        if status > 1 { outcome.failures.append(command.tail(30)) }
        return outcome
    }

    /// The tests that the stage `build` made, as `swift test` would run them.
    ///
    /// Itself it would keep `.build` from a build beside them, and read the manifest each time.
    private static var bundle: [String] {
        let folder = URL(filePath: ".build/debug").resolvingSymlinksInPath()
        let path = folder.appending(path: "chanceryPackageTests.xctest").path
        return [path, "--testing-library", "swift-testing"]
    }

    private func ending(_ status: Int32) -> String {
        status == 124 || status == 137
            ? "stopped: not done after \(stage.secondsMax) s" : "exit status \(status)"
    }
}
