import Foundation
import Runtime
package import Testing

/// A Kafka broker of this test process alone, on a free port of 127.0.0.1.
///
/// A real one is `KAFKA_BOOTSTRAP`, or started from `KAFKA_HOME`, or from `../shared/kafka` beside
/// the checkout; the development broker is always there. It ends with the process, however that
/// ends.
package final class PrivateBroker: Sendable {
    /// Why there is none.
    package struct Unavailable: Error, CustomStringConvertible {
        package let description: String
    }

    /// `host:port`, for `KafkaClientSettings`.
    package let bootstrapServers: String
    /// Whether it is Apache Kafka: compaction, retention, admin requests, long polls.
    package let isReal: Bool
    private let server: BrokerProcess?
    private let release: KafkaRelease?

    private static let shared = Result { () throws(Unavailable) in try startReal() }

    private init(
        _ bootstrapServers: String,
        isReal: Bool,
        server: BrokerProcess?,
        release: KafkaRelease? = nil
    ) {
        self.bootstrapServers = bootstrapServers
        self.isReal = isReal
        self.server = server
        self.release = release
    }

    /// The real broker of this process, started by the first test that asks.
    package static func real() throws -> PrivateBroker { try shared.get() }

    /// A development broker of the caller alone, with these topics; where it refuses groups, nobody
    /// may ask for the coordinator of one.
    package static func development(
        _ topics: [String: Int],
        refusesGroups: Bool = false
    ) throws -> PrivateBroker {
        let directory = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let program = directory.appending(path: "dev-broker").path
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw Unavailable(description: "no \(program): swift build --product dev-broker")
        }
        let port = try freePort()
        var options = topics.flatMap { ["--topic", "\($0.key):\($0.value)"] }
        if refusesGroups { options.append("--no-groups") }
        let server = try BrokerProcess(
            ChildCommand(program, ["--port", String(port)] + options),
            directory: temporaryDirectory(),
            readyText: "ready "
        )
        try server.start()
        return PrivateBroker("127.0.0.1:\(port)", isReal: false, server: server)
    }

    /// Whether a real one is to be had.
    package static var isRealAvailable: Bool {
        ProcessInfo.processInfo.environment["KAFKA_BOOTSTRAP"] != nil || home != nil
    }

    /// Kills it with SIGKILL; a broker that was there before us is left alone.
    package func kill() { server?.kill() }

    /// As a host that loses power: of each partition of `topic`, what was written last was not on
    /// its disk; for one of our own, killed before.
    package func loseTails(of topic: String) throws {
        guard let release else {
            throw Unavailable(description: "a broker that was there before us keeps its records")
        }
        try release.loseTails(of: topic)
    }

    /// Starts it again on its port: a real one with its log, a development one without.
    package func restart() throws { try server?.start() }

    /// Ends it before the process ends, and removes its files.
    package func stop() { server?.end() }

    // MARK: - Starting

    private static var home: String? {
        let beside = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../shared/kafka").standardized.path
        return [ProcessInfo.processInfo.environment["KAFKA_HOME"], beside].compactMap(\.self)
            .first { FileManager.default.fileExists(atPath: "\($0)/libs") }
    }

    private static func startReal() throws(Unavailable) -> PrivateBroker {
        if let address = ProcessInfo.processInfo.environment["KAFKA_BOOTSTRAP"] {
            return PrivateBroker(address, isReal: true, server: nil)
        }
        guard let home, let java = Processes.find("java") else {
            throw Unavailable(description: "no Kafka: \(KafkaRelease.hint)")
        }
        let release = KafkaRelease(java: java, home: home, directory: temporaryDirectory())
        let port = try freePort()
        try release.format(port: port, controllerPort: try freePort())
        let server = try BrokerProcess(
            release.server,
            directory: release.directory,
            readyText: "Kafka Server started"
        )
        try server.start()
        return PrivateBroker("127.0.0.1:\(port)", isReal: true, server: server, release: release)
    }

    private static func temporaryDirectory() -> String {
        FileManager.default.temporaryDirectory
            .appending(path: "chancery-kafka-\(UUID().uuidString.prefix(8).lowercased())").path
    }

    /// Ports of this process, for brokers one after the other.
    ///
    /// Not "any" of the kernel's: a client that calls a killed broker again and again may be given
    /// the broker's own port to call from, and then the broker cannot start there again.
    private static let ports = Guarded(PortSupply())

    private static func freePort() throws(Unavailable) -> UInt16 {
        do throws(SystemError) {
            return try ports.withLock { supply throws(SystemError) in try supply.next() }
        } catch { throw Unavailable(description: "\(error)") }
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips, with a reason, where the real Kafka was there before us: its files are not ours.
    package static var needsOwnKafka: Self {
        .enabled(
            if: ProcessInfo.processInfo.environment["KAFKA_BOOTSTRAP"] == nil,
            "a broker that was there before us is left alone"
        )
    }

    /// Skips, with a reason, where no real Kafka is to be had; where `CI` is set it runs and fails.
    package static var needsKafka: Self {
        .enabled(
            if: PrivateBroker.isRealAvailable
                || ProcessInfo.processInfo.environment["CI"] != nil,
            Comment(rawValue: "no Kafka: \(KafkaRelease.hint)")
        )
    }
}

/// Hands out ports, each once; the blocks stay taken as long as it lives.
private struct PortSupply {
    private var blocks: [PortBlock] = []
    private var left: Range<UInt16> = 0..<0

    mutating func next() throws(SystemError) -> UInt16 {
        if left.isEmpty {
            let block = try PortBlock.anyFree()
            blocks.append(block)
            left = block.usable
        }
        return left.removeFirst()
    }
}
