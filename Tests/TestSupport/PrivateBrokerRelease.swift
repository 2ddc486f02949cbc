import Foundation
import Runtime

/// One node of Apache Kafka, from the jars of a release, with its data in a directory.
struct KafkaRelease {
    static let hint = "set KAFKA_BOOTSTRAP to a broker, or KAFKA_HOME to a release (needs Java 17)"

    let java: String
    let home: String
    let directory: String

    /// Writes the configuration and makes an empty log with a new cluster id.
    func format(port: UInt16, controllerPort: UInt16) throws(PrivateBroker.Unavailable) {
        do {
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true
            )
            try properties(port, controllerPort)
                .write(toFile: "\(directory)/server.properties", atomically: false, encoding: .utf8)
            var command = program("kafka.tools.StorageTool")
            command.arguments += ["format", "--cluster-id", Self.clusterID()]
            command.arguments += ["-c", "\(directory)/server.properties"]
            command.outputFile = "\(directory)/format.log"
            let end = try Processes.start(command).waitBlocking()
            guard end == .exited(0) else {
                throw PrivateBroker.Unavailable(
                    description: "Kafka did not format its log, see \(directory)/format.log"
                )
            }
        } catch let error as PrivateBroker.Unavailable {
            throw error
        } catch {
            throw PrivateBroker.Unavailable(description: "\(error)")
        }
    }

    /// Leaves the first half of each partition's batches, of those in its first segment.
    func loseTails(of topic: String) throws {
        let logs = URL(filePath: "\(directory)/log")
        for name in try FileManager.default.contentsOfDirectory(atPath: logs.path)
        where name.hasPrefix("\(topic)-") {
            let segment = logs.appending(path: "\(name)/00000000000000000000.log")
            let bytes = try Data(contentsOf: segment)
            let batches = Self.batches(in: bytes)
            guard !batches.isEmpty else { continue }
            try bytes.prefix(batches[batches.count / 2]).write(to: segment)
        }
    }

    /// Where each batch begins: after its offset (8 bytes) stands the length of the rest (4 bytes).
    private static func batches(in bytes: Data) -> [Int] {
        var starts: [Int] = []
        var next = 0
        while next + 12 <= bytes.count {
            starts.append(next)
            next += 12 + bytes[(next + 8)..<(next + 12)].reduce(0) { $0 << 8 | Int($1) }
        }
        return starts
    }

    var server: ChildCommand {
        var command = program("kafka.Kafka")
        command.arguments.append("\(directory)/server.properties")
        return command
    }

    private func program(_ name: String) -> ChildCommand {
        var arguments = [
            "-Xms96m", "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
            "-Djava.awt.headless=true",
        ]
        let logging = "\(home)/log4j2.properties"
        if FileManager.default.fileExists(atPath: logging) {
            arguments.append("-Dlog4j2.configurationFile=file:\(logging)")
        }
        return ChildCommand(java, arguments + ["-cp", "\(home)/libs/*", name])
    }

    /// Sixteen bytes in URL-safe base64; the first is small, so that it never looks like an option.
    private static func clusterID() -> String {
        let bytes = [UInt8.random(in: 0..<0x80)] + (0..<15).map { _ in UInt8.random(in: 0...255) }
        return Data(bytes).base64EncodedString().prefix(22)
            .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
    }

    private func properties(_ port: UInt16, _ controllerPort: UInt16) -> String {
        """
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@127.0.0.1:\(controllerPort)
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://127.0.0.1:\(port),CONTROLLER://127.0.0.1:\(controllerPort)
        advertised.listeners=PLAINTEXT://127.0.0.1:\(port)
        inter.broker.listener.name=PLAINTEXT
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
        log.dirs=\(directory)/log
        auto.create.topics.enable=false
        default.replication.factor=1
        min.insync.replicas=1
        offsets.topic.replication.factor=1
        offsets.topic.num.partitions=1
        transaction.state.log.replication.factor=1
        transaction.state.log.min.isr=1
        transaction.state.log.num.partitions=1
        broker.heartbeat.interval.ms=500
        broker.session.timeout.ms=2000
        num.network.threads=2
        num.io.threads=2
        background.threads=2
        log.cleaner.threads=1
        log.cleaner.dedupe.buffer.size=8388608
        log.cleaner.backoff.ms=1000
        log.segment.bytes=67108864
        """
    }
}
