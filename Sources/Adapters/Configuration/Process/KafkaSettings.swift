internal import OAuth
internal import Runtime

/// Section `kafka`: the brokers and our topics.
package struct KafkaSettings: Sendable {
    /// `host:port`, comma-separated.
    package let bootstrap: String
    package let eventsTopic: String
    package let revocationsTopic: String
    /// PEM file of authorities; nil is plain text, for loopback and developers only
    /// (Security 10.8).
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
        Self.check(bootstrap, kafka)
        Self.check(eventsTopic, revocationsTopic, kafka)
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

    /// Kafka is asked in the background, for ever: what can be no broker is said at once.
    private static func check(_ brokers: String, _ kafka: Section) {
        guard !brokers.isEmpty else { return }
        let entries = entries(of: brokers)
        if entries.isEmpty { kafka.report("bootstrap", "`\(brokers)` names no broker") }
        for broker in entries where !isBroker(broker) {
            let problem = "`\(broker)` is no broker: host:port, such as kafka.example.com:9093"
            kafka.report("bootstrap", problem)
        }
    }

    /// What stands between commas, without the spaces around it.
    private static func entries(of brokers: String) -> [Substring] {
        brokers.split(separator: ",").compactMap { entry in
            guard let first = entry.firstIndex(where: { $0 != " " }),
                let last = entry.lastIndex(where: { $0 != " " })
            else { return nil }
            return entry[first...last]
        }
    }

    /// `host:port`, an IPv6 address in brackets.
    private static func isBroker(_ broker: Substring) -> Bool {
        let parts = broker.split(separator: ":", omittingEmptySubsequences: false)
        guard let digits = parts.last, digits.utf8.count <= 5,
            let port = DecimalDigits.read(digits.utf8.span), 1...65_535 ~= port
        else { return false }
        if parts.count > 2 { return SocketAddress(String(broker)) != nil }
        let host = parts[0].utf8
        return parts.count == 2 && 1...253 ~= host.count && host.allSatisfy(isOfName)
    }

    private static func check(_ events: String, _ revocations: String, _ kafka: Section) {
        // Beside that of the events there is one of its name and `.dlq`.
        for (key, topic, longest) in [
            ("events_topic", events, 245), ("revocations_topic", revocations, 249),
        ]
        where !(1...longest ~= topic.utf8.count) || !topic.utf8.allSatisfy(isOfName)
            || topic == "." || topic == ".."
        {
            let problem = "must be 1-\(longest) letters, digits, `.`, `_` and `-`, not `\(topic)`"
            kafka.report(key, problem)
        }
        for other in [events, "\(events).dlq"] where other.utf8.elementsEqual(revocations.utf8) {
            kafka.report("revocations_topic", "\(other) is for events: it needs one of its own")
        }
    }

    /// A byte of a topic's name, or of a host's.
    private static func isOfName(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte || byte == 0x2E
            || byte == 0x5F || byte == 0x2D
    }

    private static func areLocal(_ brokers: String) -> Bool {
        entries(of: brokers).allSatisfy(isLocal)
    }

    /// An address, because a name may begin like one: `127.example.com`.
    private static func isLocal(_ broker: Substring) -> Bool {
        broker.hasPrefix("localhost:") || SocketAddress(String(broker))?.isLoopback == true
    }
}
