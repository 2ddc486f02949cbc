package import Configuration
package import Kafka

extension KafkaClientSettings {
    /// The brokers of a process's section `kafka`.
    package init(_ kafka: KafkaSettings, clientID: String) {
        self.init(bootstrapServers: kafka.bootstrap, clientID: clientID)
        if let authorities = kafka.authoritiesPath {
            security = .tls(
                authorities: authorities,
                certificate: kafka.certificatePath,
                key: kafka.keyPath
            )
        }
    }
}
