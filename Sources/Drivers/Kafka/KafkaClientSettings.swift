/// How to reach the brokers: the same for producers, readers and administration.
package struct KafkaClientSettings: Hashable, Sendable {
    /// Transport security towards the brokers.
    package enum Security: Hashable, Sendable {
        /// None: for brokers on loopback.
        case plaintext
        /// TLS; the broker's name is verified against `authorities`, PEM files all.
        ///
        /// `key` must be a file of our own that nobody else may read; it is read for each client.
        case tls(authorities: String, certificate: String?, key: String?)
    }

    /// The longest file of a key that a client takes.
    package static let keyBytesMax = 65_536

    /// `host:port` of some brokers, comma-separated; the others are learnt from them.
    package var bootstrapServers: String
    /// The name under which brokers log and limit this client.
    package var clientID: String
    /// Transport security.
    package var security: Security

    /// Names the brokers and this client.
    package init(bootstrapServers: String, clientID: String, security: Security = .plaintext) {
        self.bootstrapServers = bootstrapServers
        self.clientID = clientID
        self.security = security
    }

    /// The file of our certificate's key, whose content is no property.
    var keyFile: String? {
        switch security {
        case .plaintext: nil
        case .tls(_, _, let key): key
        }
    }

    /// librdkafka's properties, names as in its CONFIGURATION.md.
    var properties: [String: String] {
        var properties = [
            "bootstrap.servers": bootstrapServers,
            "client.id": clientID,
            // Defaults to false: every small request would wait for the acknowledgement of the
            // one before.
            "socket.nagle.disable": "true",
            // A broker that returns is found again within a second.
            "reconnect.backoff.ms": "50",
            "reconnect.backoff.max.ms": "1000",
            "log_level": "0",
            // A stranger's open transaction would hide what stands behind it, and the ends.
            "isolation.level": "read_uncommitted",
            // A mistyped topic must be an error; the development broker creates it all the same.
            "allow.auto.create.topics": "false",
        ]
        switch security {
        case .plaintext: properties["security.protocol"] = "plaintext"
        case .tls(let authorities, let certificate, _):
            properties["security.protocol"] = "ssl"
            properties["ssl.ca.location"] = authorities
            properties["ssl.endpoint.identification.algorithm"] = "https"
            // By its path, since of `ssl.certificate.pem` only the first one would be shown.
            properties["ssl.certificate.location"] = certificate
        }
        return properties
    }
}
