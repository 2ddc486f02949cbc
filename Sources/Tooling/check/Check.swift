import Foundation

/// The program behind `deploy/test`: runs the stages, some beside others, and tells of them in
/// order up to the first failure.
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
        let report = Report(skipsFail: Options.isCI)
        Interrupts.install(report.children)
        report.run(options.stages, options.environment)
        report.close()
        exit(report.total.failed == 0 ? 0 : 1)
    }
}
