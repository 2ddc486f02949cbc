package import Configuration
internal import Crypto
package import Runtime

/// Remaining validity of the client certificate shown to the brokers; a listener tells of its own.
package enum CertificateMetrics {
    private static let bytesMax = 1_048_576

    /// Publishes that of the file as it is now, when the Kafka client reads it: a file that
    /// replaces it later counts from the next start on.
    ///
    /// Blocking. Says nothing about a file that cannot be read: the Kafka client says so.
    package static func publish(_ kafka: KafkaSettings, to metrics: Metrics) {
        guard let path = kafka.certificatePath,
            let text = try? FileReading.bytes(at: path, bytesMax: bytesMax),
            let end = Certificate.end(ofPEM: text)
        else { return }
        RuntimeMetrics.publish(certificateOf: "kafka", to: metrics) { end }
    }
}
