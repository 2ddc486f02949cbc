import Foundation

extension Stage {
    /// The stages of `--full`: sanitizers three times because one run can miss a race.
    static let full: [Stage] =
        (1...3).flatMap { sanitized("thread", run: $0) } + sanitized("address", run: 1) + [
            Stage(
                name: "fuzz",
                purpose: "no input breaks what a parser promises, a minute each",
                extent: .full,
                secondsMax: 1800,
                work: .command(["Tests/Fuzz/run"])
            ),
            Stage(
                name: "benchmarks",
                purpose: "the performance table, and its bars",
                extent: .full,
                secondsMax: 5400,
                work: .command(["deploy/bench", "--strict"])
            ),
            Stage(
                name: "soak",
                purpose: "time, memory and descriptors at a fixed rate: an hour, or SOAK seconds",
                extent: .asked,
                secondsMax: 24 * 3600,
                needs: ["release"],
                work: .lines(["Tests/Load/run", "--soak"])
            ),
        ]

    /// Each sanitizer takes no notice of what is another's.
    private static let sanitizing = [
        "LSAN_OPTIONS": "print_suppressions=0:suppressions="
            + URL(filePath: "Tests/leaks.suppressions").path
    ]

    /// As in the usual run, tests with deadlines come one at a time.
    private static func sanitized(_ sanitizer: String, run: Int) -> [Stage] {
        let untimed =
            unitTargets.filter { $0 != "ArchitectureTests" } + [
                "PropertyTests", "SimulationTests",
            ]
        let arguments = ["--sanitize=\(sanitizer)", "--scratch-path", ".build/\(sanitizer)"]
        return [
            Stage(
                name: "\(sanitizer)-\(run)",
                purpose: "unit tests, properties and simulation under the \(sanitizer) sanitizer",
                extent: .full,
                secondsMax: 3600,
                environment: sanitizing,
                work: .tests(untimed, arguments: arguments)
            ),
            Stage(
                name: "\(sanitizer)-timed-\(run)",
                purpose: "loops, sockets and deadlines under the \(sanitizer) sanitizer",
                extent: .full,
                secondsMax: 1800,
                environment: sanitizing,
                work: .tests(timed.sorted(), arguments: arguments, serially: true)
            ),
        ]
    }
}
