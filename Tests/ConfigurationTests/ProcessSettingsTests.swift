import Configuration
import Foundation
import Issuing
import Testing

/// Sections of a process's file that are checked beyond their form.
@Suite("Sections of a process") struct ProcessSettingsTests {
    private func findings(_ text: String, _ read: (Section) -> Void) throws -> [String] {
        let document = try SettingsDocument(Array(text.utf8), environment: [:])
        read(document.root)
        do { try document.finish() } catch { return error.findings.map(\.description) }
        return []
    }

    @Test("a trusted proxy is an address, a range or a local socket") func proxies() throws {
        let text = """
            listen:
              public: ["0.0.0.0:8080"]
              trusted_proxies: ["10.0.0.0/8", "2001:db8::1", "unix"]
            """
        let found = try findings(text) { root in
            #expect(ListenSettings(root).trustedProxies.count == 3)
        }
        #expect(found.isEmpty)
    }

    @Test(
        "anything else is said, where it stands",
        arguments: [
            "proxy.example.com", "10.0.0.0/33", "10.0.0.1:80", "[::1]", "0.0.0.0/0", "128.0.0.0/7",
            "::/0", "2000::/3",
            "10.0.0.0/00",
        ]
    )
    func malformedProxies(_ text: String) throws {
        let document = """
            listen:
              public: ["0.0.0.0:8080"]
              trusted_proxies: ["10.0.0.1", "\(text)"]
            """
        let found = try findings(document) { _ = ListenSettings($0) }
        #expect(found.count == 1)
        #expect(found.first?.contains("listen.trusted_proxies[1]") == true, "\(found)")
    }

    @Test("limits are numbers a minute by name, 0 is none, and what is absent stays") func limits()
        throws
    {
        let text = """
            rate_limits:
              per_minute: {challenge: 120, admin: 0}
              mails: {client_per_hour: 5000}
            """
        let found = try findings(text) { root in
            let names = ["challenge", "admin", "page"]
            let settings = RateLimitSettings(root, limits: names, mails: ["client_per_hour"])
            #expect(settings.perMinute == ["challenge": 120, "admin": 0])
            #expect(settings.mails == ["client_per_hour": 5_000])
        }
        #expect(found.isEmpty)
    }

    @Test(
        "an unknown limit and a number that is none are refused",
        arguments: ["pages: 1", "page: -1", "page: many", "page: 99999999"]
    )
    func malformedLimits(_ line: String) throws {
        let found = try findings("rate_limits: {per_minute: {\(line)}}") {
            _ = RateLimitSettings($0, limits: ["page"])
        }
        #expect(found.count == 1, "\(found)")
    }

    @Test(
        "what would have no effect, or end a start, is said by its key",
        arguments: [
            (
                "kafka: {bootstrap: \"127.0.0.1:1\", tls_certificate_file: a, tls_key_file: b}",
                "kafka.tls_certificate_file"
            ),
            (
                "database: {host: db.example.com, address: db2.example.com, "
                    + "tls_authorities_file: a}", "database.address"
            ),
            (
                "listen: {public: [\"127.0.0.1:1\"], "
                    + "inner: /\(String(repeating: "a", count: 107))}", "listen.inner"
            ),
            ("kafka: {bootstrap: \"127.0.0.1:1\", events_topic: \"a b\"}", "kafka.events_topic"),
            ("kafka: {bootstrap: \"127.0.0.1:1\", events_topic: ..}", "kafka.events_topic"),
            (
                "kafka: {bootstrap: \"127.0.0.1:1\", "
                    + "revocations_topic: \(String(repeating: "r", count: 250))}",
                "kafka.revocations_topic"
            ),
            (
                "kafka: {bootstrap: \"127.0.0.1:1\", revocations_topic: chancery.events}",
                "kafka.revocations_topic: chancery.events is for events: it needs one of its own"
            ),
            ("mail: {relay: \":587\", sender: a@example.com}", "mail.relay"),
            ("mail: {relay: \"mail.example.com:+587\", sender: a@example.com}", "mail.relay"),
            ("mail: {relay: \"mail.example.com:587\", sender: no-reply}", "mail.sender"),
            ("mail: {relay: \"a:587\", sender: a@example.com, connections: 0}", "mail.connections"),
            ("mail: {relay: \"a:587\", sender: a@example.com, connections: 9}", "mail.connections"),
            (
                "admin: {listen: \"127.0.0.1:1\", operators: [{token_sha256: \(Example.digest), "
                    + "name: \(String(repeating: "a", count: 257))}]}", "admin.operators[0].name"
            ),
            (
                "admin: {operators: [{name: ann, token_sha256: \(Example.digest)}]}",
                "admin.operators: needs admin.listen"
            ),
            (
                "listen: {public: [\"127.0.0.1:1\"], trusted_proxies: [], place_header: x-place}",
                "listen.place_header"
            ),
        ]
    )
    func ineffective(_ text: String, _ path: String) throws {
        let found = try findings(text) { root in
            if text.hasPrefix("kafka") { _ = KafkaSettings(root) }
            if text.hasPrefix("database") { _ = DatabaseSettings(root, defaultUser: "a") }
            if text.hasPrefix("listen") { _ = ListenSettings(root) }
            if text.hasPrefix("mail") { _ = MailSettings(root) }
            if text.hasPrefix("admin") { _ = AdminSettings(root) }
        }
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.contains(path) == true, "\(found)")
    }

    @Test("an address of the database is numeric", arguments: ["192.0.2.1", "2001:db8::1"])
    func numericAddress(_ address: String) throws {
        let text = "database: {host: a.example, address: \"\(address)\", tls_authorities_file: a}"
        #expect(try findings(text) { _ = DatabaseSettings($0, defaultUser: "a") }.isEmpty)
    }

    @Test(
        "brokers without TLS are on this machine: by address, or localhost",
        arguments: [
            ("127.0.0.1:9092", true), ("127.8.0.1:9092,[::1]:9092", true),
            ("localhost:9092", true), ("127.example.com:9092", false),
            ("127.0.0.1:9092,kafka.example.com:9092", false), ("localhost.example.com:9092", false),
            ("[::1].example.com:9092", false), ("127.0.0.1", false),
        ]
    )
    func brokers(_ bootstrap: String, _ isLocal: Bool) throws {
        let found = try findings("kafka: {bootstrap: \"\(bootstrap)\"}") { _ = KafkaSettings($0) }
        #expect(found.isEmpty == isLocal, "\(found)")
    }

    @Test(
        "a broker is host:port, an IPv6 address in brackets",
        arguments: [
            ("k.example.com:9093", true), ("kafka_1:9092, kafka-2:9092", true),
            ("[2001:db8::1]:9092,10.0.0.1:9092", true), ("k.example.com", false),
            ("k.example.com:0", false), ("k.example.com:65536", false), (":9092", false),
            ("2001:db8::1:9092", false), ("k.example.com:9093 ,", true), (",", false),
            (" ", false), ("k.example.com k2.example.com:9092", false),
            ("SSL://k.example.com:9093", false), ("k.example.com:+9093", false),
        ]
    )
    func brokerForm(_ bootstrap: String, _ isTaken: Bool) throws {
        let text = "kafka: {bootstrap: \"\(bootstrap)\", tls_authorities_file: a}"
        let found = try findings(text) { _ = KafkaSettings($0) }
        #expect(found.isEmpty == isTaken, "\(found)")
        #expect(found.allSatisfy { $0.contains("kafka.bootstrap: `") }, "\(found)")
    }

    @Test("and anywhere for a developer", arguments: [true, false])
    func brokersOfADeveloper(_ isDeveloper: Bool) throws {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "chancery-kafka-\(UUID().uuidString.prefix(8).lowercased()).yaml")
        try "kafka: {bootstrap: \"kafka:9092\"}\n"
            .write(to: file, atomically: false, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let words = ["--config", file.path] + (isDeveloper ? ["--insecure-dev"] : [])
        let document = try ProcessInvocation(words).document()
        _ = KafkaSettings(document.root)
        if isDeveloper {
            try document.finish()
        } else {
            #expect(throws: ConfigurationError.self) { try document.finish() }
        }
    }

    @Test(
        "a database without TLS is on this machine: by its socket, or by its address",
        arguments: [
            ("port: 5432", true), ("host: /run/postgresql", true),
            ("host: db, address: 127.0.0.1", true), ("host: db, address: \"::1\"", true),
            ("host: db", false), ("host: db, address: 10.0.0.5", false),
            ("address: 10.0.0.5", false), ("host: /run/postgresql, address: 10.0.0.5", false),
        ]
    )
    func database(_ keys: String, _ isLocal: Bool) throws {
        let found = try findings("database: {\(keys)}") {
            _ = DatabaseSettings($0, defaultUser: "u")
        }
        #expect(found.contains { $0.contains("tls_authorities_file") } != isLocal, "\(found)")
    }

    @Test("an address beside a socket is refused: nobody would use the socket")
    func addressBesideSocket() throws {
        let found = try findings("database: {address: 127.0.0.1}") {
            _ = DatabaseSettings($0, defaultUser: "u")
        }
        #expect(found.count == 1 && found[0].contains("database.address"), "\(found)")
    }

    @Test(
        "brokers elsewhere that are shown no certificate do not know who writes",
        arguments: [
            ("\"k.example.com:9093\", tls_authorities_file: a", true),
            ("\"127.0.0.1:9093,k.example.com:9093\", tls_authorities_file: a", true),
            (
                "\"k.example.com:9093\", tls_authorities_file: a, tls_certificate_file: c, "
                    + "tls_key_file: k", false
            ),
            ("\"127.0.0.1:9093\", tls_authorities_file: a", false),
            ("\"127.0.0.1:9092\"", false),
        ]
    )
    func unnamed(_ keys: String, _ isUnnamed: Bool) throws {
        let found = try findings("kafka: {bootstrap: \(keys)}") {
            #expect(KafkaSettings($0).hidesIdentity == isUnnamed)
        }
        #expect(found.isEmpty, "\(found)")
    }

    @Test(
        "the key encryption key is a file, a passphrase's file, or a file that a program unwraps",
        arguments: [
            ("kek_file: k", KeySettings.EncryptionKey.Form.key, nil),
            ("kek_passphrase_file: p", .passphrase, nil),
            ("kek_file: k, kek_unwrap_command: [/u, -x]", .wrapped(by: ["/u", "-x"]), nil),
            ("kek_file: k, kek_passphrase_file: p", .passphrase, "stands for kek_file"),
            ("kek_passphrase_file: p, kek_unwrap_command: [/u]", .passphrase, "not of a passph"),
            ("kek_file: k, kek_unwrap_command: [unwrap]", .wrapped(by: ["unwrap"]), "full path"),
            ("kek_file: k, kek_unwrap_command: []", .wrapped(by: []), "full path"),
            ("kek_unwrap_command: [/u]", .wrapped(by: ["/u"]), "keys.kek_file"),
            ("directory: e", .key, "keys.kek_file"),
        ] as [(String, KeySettings.EncryptionKey.Form, String?)]
    )
    func encryptionKey(_ keys: String, _ form: KeySettings.EncryptionKey.Form, _ finding: String?)
        throws
    {
        let directory = keys.hasPrefix("directory") ? "" : "directory: d, "
        let found = try findings("keys: {\(directory)\(keys)}") {
            #expect(KeySettings($0).encryptionKey.form == form)
        }
        #expect(found.count == (finding == nil ? 0 : 1), "\(found)")
        if let finding { #expect(found.first?.contains(finding) == true, "\(found)") }
    }

    @Test(
        "a second key encryption key is a next or a former one, read as the first is",
        arguments: [
            ("former: {kek_file: o}", "o", KeyStanding.former, nil),
            ("next: {kek_passphrase_file: n}", "n", .next, nil),
            ("former: {}", "", .former, "keys.former.kek_file"),
            ("former: {kek_file: o, kek: x}", "o", .former, "keys.former.kek: unknown key"),
            ("next: {kek_file: n}, former: {kek_file: o}", "o", .former, "leave one of them out"),
        ] as [(String, String, KeyStanding, String?)]
    )
    func secondKey(
        _ keys: String,
        _ path: String,
        _ standing: KeyStanding,
        _ finding: String?
    ) throws {
        let found = try findings("keys: {directory: d, kek_file: k, \(keys)}") {
            let second = KeySettings($0).second
            #expect(second?.key.path == path && second?.standing == standing)
        }
        #expect(found.count == (finding == nil ? 0 : 1), "\(found)")
        if let finding { #expect(found.first?.contains(finding) == true, "\(found)") }
    }

    @Test("a broker's certificate has its key") func brokerPair() throws {
        let text = "kafka: {bootstrap: \"127.0.0.1:9092\", tls_key_file: k}"
        let found = try findings(text) { _ = KafkaSettings($0) }
        #expect(found == ["kafka: tls_certificate_file and tls_key_file come together"])
    }
}
