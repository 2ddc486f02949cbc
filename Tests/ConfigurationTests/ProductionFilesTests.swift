import Assembly
import Configuration
import Domain
import Foundation
import Issuing
import Runtime
import Testing

/// What an installation begins from: the files of deploy/config/production.
@Suite("The files of deploy/config/production") struct ProductionFilesTests {
    static let programs = [
        ("token-issuer", "token_issuer"), ("event-relay", "event_relay"),
        ("revocation-projector", "projector"),
    ]

    /// What a program makes of its file.
    struct Settings {
        var database: DatabaseSettings
        var kafka: KafkaSettings
        var admin: AdminSettings
        var listen: ListenSettings?
    }

    static func text(_ path: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    static func document(_ name: String) throws -> SettingsDocument {
        try SettingsDocument(Array(try text("deploy/config/production/\(name).yaml").utf8))
    }

    /// Reads the file as its program does.
    static func settings(_ program: String) throws -> Settings {
        let document = try Self.document(program)
        switch program {
        case "token-issuer":
            let read = try TokenIssuerSettings(document)
            return Settings(
                database: read.database,
                kafka: read.kafka,
                admin: read.admin,
                listen: read.listen
            )
        case "event-relay":
            let read = try EventRelaySettings(document)
            return Settings(database: read.database, kafka: read.kafka, admin: read.admin)
        default:
            let read = try RevocationProjectorSettings(document)
            return Settings(
                database: read.database,
                kafka: read.kafka,
                admin: read.admin,
                listen: read.listen
            )
        }
    }

    private static func unit(_ program: String) throws -> String {
        try text("deploy/systemd/chancery-\(program).service")
    }

    @Test("are read by their programs, and ask for what production asks for", arguments: programs)
    func process(_ program: String, _ user: String) throws {
        let settings = try Self.settings(program)
        #expect(settings.database.authoritiesPath == "/etc/chancery/ca.pem")
        #expect(settings.database.durability == .synchronousStandby)
        #expect(settings.kafka.topology == .replicated)
        #expect(!settings.kafka.hidesIdentity)
        #expect(settings.admin.address?.isLoopback == true)
        if let listen = settings.listen {
            #expect(listen.addresses.allSatisfy { $0.isLoopback })
            #expect(listen.trustedProxies.count == 1)
        }
    }

    @Test("are where the units look, of the users that these have", arguments: programs)
    func units(_ program: String, _ user: String) throws {
        let lines = try Self.unit(program).split(separator: "\n").map(String.init)
        let command = "/usr/local/bin/\(program) --config /etc/chancery/\(program).yaml"
        #expect(lines.contains("ExecStart=\(command)"))
        #expect(lines.contains("User=\(user)"))
        #expect(try Self.settings(program).database.user == user)
    }

    @Test("name files of their program's own folder, and what is for all", arguments: programs)
    func files(_ program: String, _ user: String) throws {
        let text = try Self.text("deploy/config/production/\(program).yaml")
        let paths = text.matches(of: /: (\/etc\/chancery\/[a-z.\/-]+)/).map { String($0.output.1) }
        let own = "/etc/chancery/\(program)/"
        let needed = ["database", "kafka.pem", "kafka.key"].map { own + $0 }
        #expect(Set(needed).isSubset(of: paths))
        // The second is root's: the unit lends it to the issuer.
        let others = ["/etc/chancery/ca.pem", "/etc/chancery/kek"]
        for path in paths where !others.contains(path) {
            #expect(path.hasPrefix(own), "\(path)")
        }
    }

    @Test("name the key and the key directory that the issuer's unit has") func keys() throws {
        let keys = try TokenIssuerSettings(try Self.document("token-issuer")).keys
        let unit = try Self.unit("token-issuer")
        #expect(unit.contains("\nLoadCredential=kek:\(keys.encryptionKey.path)\n"))
        let folder = keys.directory.replacing("/var/lib/", with: "")
        #expect(unit.contains("\nStateDirectory=chancery \(folder)\n"))
    }

    @Test("have what an operator's commands read") func operators() throws {
        let document = try Self.document("operator")
        document.root.ignore(allBut: [.database, .kafka])
        let database = DatabaseSettings(document.root, defaultUser: "migrator")
        let kafka = KafkaSettings(document.root)
        try document.finish()
        #expect(database.user == "migrator")
        #expect(kafka.keyPath == "/etc/chancery/operator/kafka.key")
    }

    @Test("have a project without a finding, and without a warning") func project() throws {
        let bytes = Array(try Self.text("deploy/config/production/bank.yaml").utf8)
        let settings = try ProjectDocument().settings(bytes)
        let warnings = try ProjectDocument().warnings(bytes)
        #expect(warnings.isEmpty, "\(warnings)")
        #expect(settings.publicOrigin.hasPrefix("https://"))
        let app = try #require(settings.clients.first)
        #expect(app.applicationType == .native)
        #expect(app.loginLinkMode == .confirm)
        #expect(
            app.redirectURIs.map(\.text) == [
                "https://app.example.com/callback", "com.example.bank:/callback",
            ]
        )
    }

    @Test("let nobody in before their digests are changed", arguments: ["token-issuer", "bank"])
    func digests(_ name: String) throws {
        let text = try Self.text("deploy/config/production/\(name).yaml")
        let digests = text.matches(of: /[0-9a-f]{64}/).map { Set($0.output) }
        #expect(!digests.isEmpty)
        for digits in digests { #expect(digits.count == 1, "no secret has such a digest") }
    }

    @Test("are all in the guide") func guide() throws {
        let guide = try Self.text("Sources/Handbook.docc/Install.md")
        for name in Self.programs.map(\.0) + ["operator", "bank"] {
            #expect(guide.contains("/etc/chancery/\(name).yaml"), "\(name)")
        }
    }
}
