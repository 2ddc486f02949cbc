import OAuth
import Runtime

/// Kafka for development: somebody else's, a node of our own, or the mock broker.
struct DevKafka: Sendable {
    enum Source: Sendable {
        /// The brokers that `KAFKA_BOOTSTRAP` names, unless a stack's `dev.env` put it there.
        case given(String)
        /// A node started from the jars of a distribution.
        case distribution(String)
        /// dev-broker: in memory, without compaction.
        case mock
    }

    let folder: DevFolder
    let ports: DevPorts
    let source: Source

    /// What `dev.env` calls a broker that the stack started: a shell that has read the file names
    /// it to the next start, when nobody answers there any more.
    static let ownVariable = "DEV_KAFKA_BOOTSTRAP"

    /// Looks in the order of Architecture 14.
    ///
    /// - Throws: when `KAFKA_HOME` names what cannot be started: whoever set it wants no other one.
    init(_ folder: DevFolder, _ ports: DevPorts) throws(CommandFailure) {
        self.folder = folder
        self.ports = ports
        let beside = "\(folder.checkout)/../shared/kafka"
        if let servers = Environment.value("KAFKA_BOOTSTRAP"), !servers.isEmpty,
            servers != Environment.value(Self.ownVariable)
        {
            source = .given(servers)
        } else if let home = Environment.value("KAFKA_HOME"), !home.isEmpty {
            try Self.check(home)
            source = .distribution(home)
        } else if Self.isDistribution(beside), Processes.find("java") != nil {
            source = .distribution(beside)
        } else {
            source = .mock
        }
    }

    private static func isDistribution(_ home: String) -> Bool {
        (try? FileReading.names(inDirectory: "\(home)/libs")) != nil
    }

    private static func check(_ home: String) throws(CommandFailure) {
        guard isDistribution(home) else {
            throw CommandFailure(
                "KAFKA_HOME is \(home), which has no folder libs that can be read",
                remedy: "Name the folder of an unpacked Apache Kafka, or unset it for dev-broker."
            )
        }
        guard Processes.find("java") != nil else {
            throw CommandFailure(
                "KAFKA_HOME is \(home), and there is no java on PATH to start it with",
                remedy: "Install Java 17, or unset KAFKA_HOME for dev-broker."
            )
        }
    }

    /// Whether the broker ends with the stack.
    var isOwn: Bool { if case .given = source { false } else { true } }

    var bootstrap: String {
        switch source {
        case .given(let servers): servers
        case .distribution, .mock: "127.0.0.1:\(ports.kafka)"
        }
    }

    /// What the table says about it.
    var description: String {
        switch source {
        case .given: "yours, from KAFKA_BOOTSTRAP"
        case .distribution(let home): "a node of its own, from \(home)"
        case .mock: "dev-broker, in memory (no KAFKA_BOOTSTRAP, no KAFKA_HOME)"
        }
    }

    /// Whether topics are made by request: the mock has its own and knows no such request.
    var takesTopics: Bool { if case .mock = source { false } else { true } }

    /// The broker to run; nil when it is somebody else's.
    func server(on loop: Loop) async throws(CommandFailure) -> ManagedProcess? {
        try Files.write("", to: logFile)  // `isReady` reads this run's lines alone.
        let words: [String]
        switch source {
        case .given: return nil
        case .distribution(let home):
            try await format(home, on: loop)
            words = java(home) + ["kafka.Kafka", propertiesFile]
        case .mock:
            words = [try Programs.path("dev-broker"), "--port", "\(ports.kafka)"]
        }
        return ManagedProcess("Kafka", command(words), on: loop, stopMax: .seconds(20))
    }

    /// Whether the broker that was started here takes connections.
    var isReady: Bool {
        let text = Files.text(logFile, bytesMax: 16 << 20) ?? ""
        return text.contains("Kafka Server started") || text.contains("ready 127.0.0.1:")
    }

    var logFile: String { folder.log("kafka") }
    private var propertiesFile: String { "\(folder.kafka)/server.properties" }

    /// Writes the node's settings; formats its log, once.
    private func format(_ home: String, on loop: Loop) async throws(CommandFailure) {
        let template = "\(folder.checkout)/deploy/config/kafka.properties"
        guard let text = Files.text(template) else {
            throw CommandFailure("cannot read \(template)")
        }
        let filled =
            text
            .replacing("@PORT@", with: "\(ports.kafka)")
            .replacing("@CONTROLLER_PORT@", with: "\(ports.kafkaController)")
            .replacing("@DATA@", with: folder.kafka)
        try Files.write(filled, to: propertiesFile)
        guard !Files.exists("\(folder.kafka)/log/meta.properties") else { return }
        var drawn = Wiring.randomBytes(16)
        // A letter first: one id in 64 would begin with a hyphen, and be taken for an option.
        drawn[0] &= 0x7F
        let id = Base64URL.text(drawn)
        let words = ["kafka.tools.StorageTool", "format", "--cluster-id", id, "-c", propertiesFile]
        let end: ChildProcess.End
        do { end = try await Processes.start(command(java(home) + words)).wait(on: loop) } catch {
            throw CommandFailure("cannot run java: \(error)")
        }
        guard end == .exited(0) else {
            throw CommandFailure("Kafka's log was not formatted", remedy: "See \(logFile)")
        }
    }

    private func java(_ home: String) -> [String] {
        let logging = "\(home)/log4j2.properties"
        // Kafka's own name. Compiled in one step it is there sooner, and a third slower for ever.
        let given = Environment.value("KAFKA_JVM_PERFORMANCE_OPTS")
        let options = given ?? "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
        return [Processes.find("java") ?? "java", "-Xms96m", "-Xmx384m"]
            + options.split(separator: " ").map(String.init) + ["-Djava.awt.headless=true"]
            + (Files.exists(logging) ? ["-Dlog4j2.configurationFile=file:\(logging)"] : [])
            + ["-cp", "\(home)/libs/*"]
    }

    private func command(_ words: [String]) -> ChildCommand {
        var command = ChildCommand("/usr/bin/setsid", words)
        command.outputFile = logFile
        command.directory = folder.kafka
        command.endsWithParent = true
        return command
    }
}
