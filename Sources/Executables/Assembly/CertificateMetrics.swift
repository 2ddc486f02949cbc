package import Configuration
internal import Crypto
package import Runtime

/// How long the certificate is good that a process shows the brokers; a listener tells of its own.
package enum CertificateMetrics {
    private static let bytesMax = 1_048_576

    /// Of the file as it is now, when its client reads it: what takes its place later counts from
    /// the next start on.
    ///
    /// Blocking. Of a file that cannot be read nothing is said here: its client says so.
    package static func publish(_ kafka: KafkaSettings, to metrics: Metrics) {
        guard let path = kafka.certificatePath,
            let text = try? FileReading.bytes(at: path, bytesMax: bytesMax),
            let end = Certificate.end(ofPEM: text)
        else { return }
        RuntimeMetrics.publish(certificateOf: "kafka", to: metrics) { end }
    }
}
