import Foundation
import Runtime

/// Kafka as the product finds it, and the processes behind the log.
extension Stack {
    private var servicesFolder: String { "\(directory)/services" }

    /// Starts Kafka, or finds the one of `KAFKA_BOOTSTRAP`, and points every process to it.
    ///
    /// By `chancery dev --services`: the database and the mail sink that come with it stay idle.
    func startServices() throws {
        let log = "\(directory)/services.log"
        let process = try Subprocess.run(
            "/usr/bin/taskset",
            [
                "-c", Machine.loadCPU,
            ] + Self.untuned + [
                // As a broker that serves runs, not one that has to be there at once.
                "KAFKA_JVM_PERFORMANCE_OPTS=-XX:+UseSerialGC", "\(Self.programs)/chancery", "dev",
                "--services", "--port", "0", "--directory", servicesFolder,
            ],
            output: .file(log)
        )
        services = process
        var brokers: String?
        try waitUntil("Kafka", process, log, within: 120) {
            brokers = fact("KAFKA_BOOTSTRAP")
            return brokers != nil
        }
        guard let brokers else { throw Subprocess.Failed(description: "no KAFKA_BOOTSTRAP") }
        self.brokers = brokers
        try writeSettings(brokers: brokers)
        stop("token-issuer")
        try start("token-issuer")
    }

    func stopServices() {
        guard let process = services else { return }
        services = nil
        // As Ctrl-C does: it stops what it started, in order.
        process.interrupt()
        process.waitUntilExit()
    }

    private func fact(_ name: String) -> String? {
        let file = "\(servicesFolder)/dev.env"
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return nil }
        return text.split(separator: "\n").first { $0.hasPrefix("\(name)=") }
            .map { $0.dropFirst(name.utf8.count + 1).filter { $0 != "'" } }
    }
}
