import Foundation

/// The program behind `deploy/test`: runs the stages in order and stops at the first failure.
@main
enum Check {
    static func main() {
        let environment = ProcessInfo.processInfo.environment
        let options: Options
        do throws(UsageError) {
            options = try Options(Array(CommandLine.arguments.dropFirst()), environment)
        } catch {
            Screen.say("deploy/test: \(error.sentence)\nTry 'deploy/test --help'.")
            exit(64)
        }
        Interrupts.install()
        let report = Report(skipsFail: environment["CI"].map { !$0.isEmpty } ?? false)
        for stage in options.stages {
            guard report.run(stage, options) else { break }
        }
        report.close()
        exit(report.total.failed == 0 ? 0 : 1)
    }
}
