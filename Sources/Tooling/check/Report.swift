import Foundation

/// Runs stages, prints each, and adds up.
final class Report {
    private(set) var total = Tally()
    private let skipsFail: Bool
    private let start = ContinuousClock.now
    private let folder = URL(filePath: ".build/check")

    init(skipsFail: Bool) {
        self.skipsFail = skipsFail
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Runs one stage.
    ///
    /// - Returns: whether the next one may run.
    func run(_ stage: Stage, _ options: Options) -> Bool {
        let begin = ContinuousClock.now
        Screen.say("▸ \(padded(stage.name)) \(stage.purpose)")
        let run = StageRun(stage, folder, options.environment) { Screen.beat(stage.name, $0) }
        var outcome = run.outcome()
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
        Screen.say("\(mark) \(padded(stage.name)) \(counts(outcome.tally))  \(time(begin))")
        if failed { Screen.say("  The whole output: .build/check/\(stage.name).log") }
        return !failed
    }

    /// The last lines: the time, then the one total line.
    func close() {
        Screen.say("in \(time(start))")
        let sum = counts(total)
        Screen.say(sum)
    }

    private func counts(_ tally: Tally) -> String {
        "\(tally.passed) passed, \(tally.failed) failed, \(tally.skipped) skipped"
    }

    private func padded(_ name: String) -> String {
        name + String(repeating: " ", count: max(0, 13 - name.count))
    }

    private func time(_ begin: ContinuousClock.Instant) -> String {
        let tenths = Int((ContinuousClock.now - begin) / .milliseconds(100))
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
