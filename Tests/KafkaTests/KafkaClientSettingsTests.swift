@testable import Kafka
import Testing

/// How brokers are reached (Security TB6).
@Suite("Settings for librdkafka") struct KafkaClientSettingsTests {
    @Test("check the broker's name, and show our certificate where there is one")
    func tls() {
        var settings = KafkaClientSettings(
            bootstrapServers: "kafka.example.com:9093",
            clientID: "relay",
            security: .tls(authorities: "/ca.pem", certificate: "/own.pem", key: "/own.key")
        )
        let named = settings.properties
        #expect(named["security.protocol"] == "ssl")
        #expect(named["ssl.ca.location"] == "/ca.pem")
        #expect(named["ssl.endpoint.identification.algorithm"] == "https")
        #expect(named["ssl.certificate.location"] == "/own.pem")
        // Its bytes are handed over, not its path.
        #expect(named["ssl.key.location"] == nil && settings.keyFile == "/own.key")
        settings.security = .tls(authorities: "/ca.pem", certificate: nil, key: nil)
        let unnamed = settings.properties
        #expect(unnamed["security.protocol"] == "ssl")
        #expect(unnamed["ssl.endpoint.identification.algorithm"] == "https")
        #expect(unnamed["ssl.certificate.location"] == nil && settings.keyFile == nil)
        // A reader and a producer have all of them.
        #expect(ReaderSettings(settings, topic: "t").properties["security.protocol"] == "ssl")
    }

    @Test("speak plain text only where they are told to, and make no topic by mistake")
    func plain() {
        let settings = KafkaClientSettings(bootstrapServers: "127.0.0.1:9092", clientID: "relay")
        #expect(settings.properties["security.protocol"] == "plaintext")
        #expect(settings.keyFile == nil)
        #expect(settings.properties["allow.auto.create.topics"] == "false")
    }
}
