internal import Runtime

/// Section `kafka`: the brokers and our topics.
package struct KafkaSettings: Sendable {
    /// `host:port`, comma-separated.
    package let bootstrap: String
    package let eventsTopic: String
    package let revocationsTopic: String
    /// PEM file of authorities; nil is plain text, for loopback and developers only (security.md
    /// section 10.8).
    package let authoritiesPath: String?
    package let certificatePath: String?
    package let keyPath: String?
    package let topology: Topology

    /// How many brokers hold each record.
    package enum Topology: String, CaseIterable, Sendable {
        case replicated
        case singleNode = "single-node"
    }

    /// Whether brokers elsewhere are not shown who this is: to them all such clients are one, so
    /// they can give a right to none of them alone (decision 0181).
    package var hidesIdentity: Bool {
        authoritiesPath != nil && certificatePath == nil && !Self.areLocal(bootstrap)
    }

    /// Reads the section; findings go to its document.
    package init(_ root: Section) {
        let kafka = root.section(.kafka)
        bootstrap = kafka.string("bootstrap", hint: "brokers such as 127.0.0.1:9092")
        eventsTopic = kafka.string("events_topic", default: "chancery.events")
        revocationsTopic = kafka.string("revocations_topic", default: "chancery.revocations")
        authoritiesPath = kafka.optionalString("tls_authorities_file")
        certificatePath = kafka.optionalString("tls_certificate_file")
        keyPath = kafka.optionalString("tls_key_file")
        topology = kafka.choice("topology", default: .replicated)
        if !root.isInsecureDev, authoritiesPath == nil, !Self.areLocal(bootstrap) {
            kafka.report("tls_authorities_file", "is required for remote brokers")
        }
        if (certificatePath == nil) != (keyPath == nil) {
            kafka.report(nil, "tls_certificate_file and tls_key_file come together")
        }
        if certificatePath != nil, authoritiesPath == nil {
            let problem =
                "needs tls_authorities_file: without it the brokers are spoken to in plain text"
            kafka.report("tls_certificate_file", problem)
        }
    }

    private static func areLocal(_ brokers: String) -> Bool {
        brokers.split(separator: ",").allSatisfy(isLocal)
    }

    /// An address, because a name may begin like one: `127.example.com`.
    private static func isLocal(_ broker: Substring) -> Bool {
        broker.hasPrefix("localhost:") || SocketAddress(String(broker))?.isLoopback == true
    }
}
