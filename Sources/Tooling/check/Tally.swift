/// How many tests passed, failed and were skipped.
struct Tally {
    var passed = 0
    var failed = 0
    var skipped = 0

    var count: Int { passed + failed + skipped }

    static func + (a: Tally, b: Tally) -> Tally {
        Tally(
            passed: a.passed + b.passed,
            failed: a.failed + b.failed,
            skipped: a.skipped + b.skipped
        )
    }
}

/// What a stage came to.
struct Outcome {
    var tally = Tally()
    /// One line each: what failed, and what a reader should look at.
    var failures: [String] = []
    /// One line each: which test was skipped, and its reason.
    var skips: [String] = []

    mutating func fail(_ line: String) {
        tally.failed += 1
        failures.append(line)
    }
}
