import Runtime

/// A Kafka broker for development and tests: librdkafka's mock cluster on a fixed port.
///
/// In memory, 5 MiB per partition, loopback only, new and empty at each start. No compaction, no
/// admin requests, no transactions: the product must not need them at run time.
@main enum DevBroker {
    /// A mistake on the command line (EX_USAGE).
    private static let usageMistake: Int32 = 64

    static func main() {
        // Before librdkafka starts a thread: each inherits the mask of the signals.
        Lifecycle.prepare()
        let invocation: Invocation
        do { invocation = try Invocation(CommandLine.arguments.dropFirst()) } catch {
            Terminal.complain("dev-broker: \(error)\n\(Invocation.usage)")
            ThisProcess.exit(usageMistake)
        }
        guard !invocation.wantsHelp else { return Terminal.say(Invocation.usage) }
        do {
            let cluster = try MockCluster(port: invocation.port, topics: invocation.topics)
            if invocation.refusesGroups { cluster.refuseGroups() }
            let loop = try Loop(name: "dev-broker")
            Terminal.say("ready \(cluster.address)")
            let code = Lifecycle(on: loop, log: .discarding, []).run()
            cluster.close()
            ThisProcess.exit(code.rawValue)
        } catch {
            Terminal.complain("dev-broker: \(error)")
            ThisProcess.exit(ExitCode.failure.rawValue)
        }
    }
}
