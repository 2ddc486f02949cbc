internal import Assembly
internal import Configuration
internal import Runtime

/// The process that publishes the log: from PostgreSQL to Kafka, in order, under dense numbers.
@main enum EventRelay {
    private static let purpose = "Publishes the event log to Kafka; one per database is active."

    static func main() {
        Lifecycle.prepare()
        Lifecycle.forbidDumps()
        let invocation = ProcessInvocation(CommandLine.arguments.dropFirst())
        if let early = invocation.early("event-relay", purpose) { end(early.text, early.code) }
        let settings = read(invocation)
        let files = StartFiles(settings)
        if let refusal = invocation.refusal("event-relay", files: files.refusals) {
            end(refusal, .configuration)
        }
        do throws(Component.StartFailure) {
            let wiring = try Wiring(settings, isInsecureDev: invocation.isInsecureDev) {
                () throws(Component.ReloadFailure) in
                try invocation.settings(EventRelaySettings.init)
            }
            guard invocation.isCheck else { ThisProcess.exitNow(wiring.run().rawValue) }
            let code = wiring.check()
            guard code == .success else { ThisProcess.exit(code.rawValue) }
            end(wiring.gate.verdict, .success)
        } catch { end("event-relay: \(error.reason)", error.exitCode) }
    }

    private static func read(_ invocation: ProcessInvocation) -> EventRelaySettings {
        do throws(ProcessInvocation.Unreadable) {
            let document = try invocation.document()
            do throws(ConfigurationError) { return try EventRelaySettings(document) } catch {
                throw ProcessInvocation.Unreadable(error, in: invocation.configPath)
            }
        } catch { end(error.text, .configuration) }
    }

    private static func end(_ text: String, _ code: ExitCode) -> Never {
        if code == .success { Terminal.say(text) } else { Terminal.complain(text) }
        ThisProcess.exit(code.rawValue)
    }
}
