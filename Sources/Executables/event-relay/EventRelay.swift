internal import Assembly
internal import Configuration
internal import Runtime

/// The process that publishes the log: from PostgreSQL to Kafka, in order, under dense numbers.
@main enum EventRelay {
    private static let purpose = "Publishes the event log to Kafka; one per database is active."

    static func main() {
        Lifecycle.prepare()
        Lifecycle.forbidDumps()
        let invocation = ProcessInvocation.read("event-relay", purpose)
        let settings = invocation.startSettings(EventRelaySettings.init)
        let files = settings.startFiles
        if let refusal = invocation.refusal("event-relay", files: files.refusals) {
            ThisProcess.end(refusal, .configuration)
        }
        do throws(Component.StartFailure) {
            let wiring = try Wiring(settings, isInsecureDev: invocation.isInsecureDev) {
                () throws(Component.ReloadFailure) in
                try invocation.settings(EventRelaySettings.init)
            }
            guard invocation.isCheck else { ThisProcess.exitNow(wiring.run().rawValue) }
            let code = wiring.check()
            guard code == .success else { ThisProcess.exit(code.rawValue) }
            ThisProcess.end(wiring.gate.verdict, .success)
        } catch { ThisProcess.end("event-relay: \(error.reason)", error.exitCode) }
    }
}
