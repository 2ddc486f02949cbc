import Glibc

/// A Kafka broker for development and tests: librdkafka's mock cluster on a fixed port.
///
/// In memory, 5 MiB per partition, loopback only, new and empty at each start. No compaction, no
/// admin requests, no transactions (facts.md 12): the product must not need them at run time.
@main enum DevBroker {
    static func main() {
        let invocation: Invocation
        do {
            invocation = try Invocation(CommandLine.arguments.dropFirst())
        } catch {
            say("dev-broker: \(error)\n\(Invocation.usage)", to: STDERR_FILENO)
            exit(64)
        }
        guard !invocation.wantsHelp else { return say(Invocation.usage, to: STDOUT_FILENO) }

        // Before librdkafka starts a thread: each thread inherits the mask, so that only sigwait
        // ever sees these.
        let signals = blockedSignals()
        do {
            let cluster = try MockCluster(port: invocation.port, topics: invocation.topics)
            say("ready \(cluster.address)\n", to: STDOUT_FILENO)
            wait(for: signals)
            cluster.close()
        } catch {
            say("dev-broker: \(error)\n", to: STDERR_FILENO)
            exit(1)
        }
    }

    private static func blockedSignals() -> sigset_t {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGINT)
        unsafe sigaddset(&signals, SIGTERM)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        return signals
    }

    private static func wait(for signals: sigset_t) {
        var signals = signals
        var received: Int32 = 0
        unsafe sigwait(&signals, &received)
    }

    private static func say(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    }
}
