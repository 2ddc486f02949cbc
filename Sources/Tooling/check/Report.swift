import Foundation

/// Runs stages, prints each, and adds up.
final class Report {
    private(set) var total = Tally()
    private let skipsFail: Bool
    private let start = ContinuousClock.now
    /// What runs for the stages.
    let children = Children()
    /// Where their logs go.
    private let folder: URL

    init(skipsFail: Bool, folder: URL = URL(filePath: ".build/check")) {
        self.skipsFail = skipsFail
        self.folder = folder
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Runs stages in order, up to the first that fails.
    ///
    /// One that may run beside others starts with the first of those, or as soon after it as what
    /// it needs is done, and is told in its turn.
    func run(_ stages: [Stage], _ environment: [String: String]) {
        var running: [String: RunningStage] = [:]
        for (index, stage) in stages.enumerated() {
            if running[stage.name] == nil { running[stage.name] = start(stage, environment) }
            for later in stages[index...] where later.beside.contains(stage.name) {
                guard running[later.name] == nil else { continue }
                let needed = later.needs.compactMap { running[$0] }
                running[later.name] = start(later, environment, beside: stage, after: needed)
            }
            guard let own = running.removeValue(forKey: stage.name) else { continue }
            let (outcome, time) = own.wait { Screen.beat(stage.name, $0) }
            children.stayIfInterrupted()
            guard tell(stage, outcome, time) else { break }
        }
        end(running, of: stages)
    }

    /// Ends what still runs because another stage failed; what had come to its end is told.
    private func end(_ running: [String: RunningStage], of stages: [Stage]) {
        let done = Set(running.filter { $0.value.isDone }.keys)
        if running.count > done.count { children.endAll() }
        for stage in stages {
            guard let own = running[stage.name] else { continue }
            let (outcome, time) = own.wait()
            if done.contains(stage.name) {
                _ = tell(stage, outcome, time)
            } else {
                Screen.say("– \(padded(stage.name)) ended: another stage failed")
            }
        }
    }

    private func start(
        _ stage: Stage,
        _ environment: [String: String],
        beside other: Stage? = nil,
        after needed: [RunningStage] = []
    ) -> RunningStage {
        let place = other.map { ", beside \($0.name)" } ?? ""
        Screen.say("▸ \(padded(stage.name)) \(stage.purpose)\(place)")
        let run = StageRun(stage, folder, environment, isBeside: other != nil, children)
        return RunningStage {
            guard needed.allSatisfy({ $0.wait().outcome.tally.failed == 0 }) else {
                var outcome = Outcome()
                outcome.fail("what it needs has failed")
                return outcome
            }
            return run.outcome()
        }
    }

    /// Prints what a stage came to; answers whether the next one may run.
    private func tell(_ stage: Stage, _ result: Outcome, _ time: Duration) -> Bool {
        var outcome = result
        if skipsFail, outcome.tally.skipped > 0 {
            outcome.failures += outcome.skips.map { "skipped although CI is set: \($0)" }
            outcome.tally.failed += outcome.tally.skipped
            outcome.tally.skipped = 0
        }
        if outcome.tally.count == 0 { outcome.fail("the stage ran no test") }
        total = total + outcome.tally
        let failed = outcome.tally.failed > 0
        for line in outcome.skips where !skipsFail { Screen.say("    – skipped: \(line)") }
        for line in outcome.failures { Screen.say("    ✘ \(line)") }
        let mark = failed ? "✘" : "✔"
        Screen.say("\(mark) \(padded(stage.name)) \(counts(outcome.tally))  \(text(time))")
        if failed { Screen.say("  The whole output: \(folder.relativePath)/\(stage.name).log") }
        return !failed
    }

    /// The last lines: the time, then the one total line.
    func close() {
        Screen.say("in \(text(ContinuousClock.now - start))")
        let sum = counts(total)
        Screen.say(sum)
    }

    private func counts(_ tally: Tally) -> String {
        "\(tally.passed) passed, \(tally.failed) failed, \(tally.skipped) skipped"
    }

    private func padded(_ name: String) -> String {
        name + String(repeating: " ", count: max(0, 13 - name.count))
    }

    private func text(_ time: Duration) -> String {
        let tenths = Int(time / .milliseconds(100))
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
