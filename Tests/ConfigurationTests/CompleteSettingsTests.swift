import Assembly
import Configuration
import Foundation
import Testing

/// Files with every key that a process takes, through every program that reads them.
@Suite("A file with every key") struct CompleteSettingsTests {
    private static let digest = String(repeating: "ab", count: 32)
    private static let listener = [
        "public: [\"127.0.0.1:8080\"]", "tls_certificate_file: c", "tls_key_file: k",
        "trusted_proxies: [unix]", "place_header: x-client-place", "inner: /run/inner",
    ]
    private static let admin = [
        "listen: \"10.0.0.5:9443\"", "tls_certificate_file: c", "tls_key_file: k",
        "tls_client_authorities_file: a",
    ]
    private static let ann = [
        "operators: [{name: ann, role: read, token_sha256: \(digest)}]"
    ]
    private static let everywhere: [SettingsSection: [String]] = [
        .admin: admin,
        .node: ["name: a", "workers: 2", "shutdown_notice_seconds: 1"],
        .database: [
            "host: db.example.com", "address: 192.0.2.1", "port: 5432", "name: chancery",
            "user: u", "password_file: p", "tls_authorities_file: a", "durability: single-node",
        ],
        .kafka: [
            "bootstrap: \"kafka.example.com:9093\"", "events_topic: e", "revocations_topic: r",
            "tls_authorities_file: a", "tls_certificate_file: c", "tls_key_file: k",
            "topology: single-node",
        ],
        .log: ["level: info"],
    ]
    private static let issuer: [SettingsSection: [String]] = [
        .admin: admin + ann, .listen: listener,
        .keys: ["directory: d", "kek_file: k", "kek_unwrap_command: [/usr/bin/unwrap]"],
        .mail: [
            "relay: \"127.0.0.1:25\"", "sender: a@example.com", "username: u", "password_file: p",
            "connections: 3", "plain: true",
        ],
        .limits: ["append_lanes: 1", "cache_megabytes: 64"],
        .rateLimits: ["per_minute: {page: 300}", "mails: {client_per_hour: 5000}"],
    ]
    private static let relay: [SettingsSection: [String]] = [.relay: ["replay_from_index: 7"]]
    private static let projector: [SettingsSection: [String]] = [
        .listen: Array(listener.dropLast(2)), .rateLimits: ["per_minute: {failed_request: 30}"],
    ]

    private static func document(_ own: [SettingsSection: [String]]) throws -> SettingsDocument {
        let sections = everywhere.merging(own) { $1 }
        let text = sections.map { section, keys in
            "\(section.rawValue):\n" + keys.map { "  \($0)\n" }.joined()
        }
        return try SettingsDocument(Array(text.sorted().joined().utf8))
    }

    @Test("is right for its process") func processes() throws {
        let issuer = try TokenIssuerSettings(try Self.document(Self.issuer))
        #expect(issuer.rates.count == 1 && issuer.mail.connections == 3)
        _ = try EventRelaySettings(try Self.document(Self.relay))
        _ = try RevocationProjectorSettings(try Self.document(Self.projector))
    }

    @Test("has nothing that its process would not use", arguments: listener.suffix(2))
    func unused(_ key: String) throws {
        var sections = Self.projector
        sections[.listen]?.append(key)
        #expect(throws: ConfigurationError.self) {
            try RevocationProjectorSettings(try Self.document(sections))
        }
    }

    @Test("names operators to a token-issuer alone", arguments: [admin, []])
    func strangers(_ admin: [String]) throws {
        let relay = Self.relay.merging([.admin: admin + Self.ann]) { $1 }
        let projector = Self.projector.merging([.admin: admin + Self.ann]) { $1 }
        let errors = [
            #expect(throws: ConfigurationError.self) {
                try EventRelaySettings(try Self.document(relay))
            },
            #expect(throws: ConfigurationError.self) {
                try RevocationProjectorSettings(try Self.document(projector))
            },
        ]
        for error in errors {
            let findings = try #require(error).findings
            #expect(findings.map(\.path) == ["admin.operators"], "\(findings)")
            #expect(findings.first?.message.hasPrefix("is token-issuer's") == true)
        }
    }

    @Test("serves an operator's command too", arguments: [issuer, relay, projector])
    func operators(_ own: [SettingsSection: [String]]) throws {
        let document = try Self.document(own)
        document.root.ignore(allBut: [.database, .kafka])
        _ = DatabaseSettings(document.root, defaultUser: "migrator")
        _ = KafkaSettings(document.root)
        try document.finish()
    }

    @Test("has no section that is nobody's, and all stand in the table of Production.md")
    func documented() throws {
        let all = [Self.everywhere, Self.issuer, Self.relay, Self.projector]
        #expect(Set(all.flatMap(\.keys)) == Set(SettingsSection.allCases))
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "Sources/Handbook.docc/Production.md"),
            encoding: .utf8
        )
        for (section, keys) in all.flatMap({ $0 }) {
            let row = try #require(
                page.split(separator: "\n").first { $0.hasPrefix("| `\(section.rawValue)` |") },
                "\(section.rawValue)"
            )
            for key in keys.compactMap({ $0.split(separator: ":").first }) {
                #expect(row.contains("`\(key)`"), "\(section.rawValue).\(key)")
            }
        }
    }

    @Test("a section that no program has is said") func unknown() throws {
        let document = try SettingsDocument(Array("databse: {host: x}\n".utf8))
        document.root.ignore(allBut: [.database, .kafka])
        #expect(throws: ConfigurationError.self) { try document.finish() }
    }
}
