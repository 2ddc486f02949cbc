import Testing

/// Who may import whom: the arrows of the architecture.
@Suite("Imports") struct ImportRulesTests {
    struct Rule: Sendable, CustomTestStringConvertible {
        var folder: String
        var allowed: Set<String>
        /// What only files whose path in the folder begins so may import.
        var narrow: [String: Set<String>] = [:]

        var testDescription: String { folder }

        func violations(in file: SourceFile) -> Set<String> {
            let path = file.path.dropFirst("Sources/\(folder)/".count)
            let extra = narrow.filter { path.hasPrefix($0.key) }.values.joined()
            return file.imports.subtracting(allowed).subtracting(extra)
        }
    }

    static let core: Set = [
        "Domain", "OAuth", "EventFormat", "Issuing", "Projections", "Publishing",
    ]
    static let adapters: Set = [
        "Persistence", "Messaging", "Signing", "WebAPI", "Delivery", "Configuration", "Migrations",
    ]
    static let drivers: Set = ["Postgres", "Kafka", "Crypto", "HTTPServer", "HTTPClient", "YAML"]

    static let rules =
        [
            Rule(folder: "Core/Domain", allowed: []),
            Rule(folder: "Core/OAuth", allowed: ["Domain"]),
            Rule(folder: "Core/EventFormat", allowed: ["Domain", "OAuth"]),
            Rule(folder: "Core/Issuing", allowed: ["Domain", "OAuth"]),
            Rule(folder: "Core/Projections", allowed: ["Domain"]),
            Rule(
                folder: "Core/Publishing",
                allowed: ["Domain", "OAuth", "EventFormat", "Projections"]
            ),
            Rule(folder: "Runtime", allowed: ["CLinux", "Glibc", "Synchronization"]),
            Rule(folder: "Tooling/check", allowed: ["Foundation"]),
            Rule(folder: "Executables/dev-broker", allowed: ["Runtime", "CKafka"]),
            // What every process is put together from: settings become drivers' values.
            Rule(
                folder: "Executables/Assembly",
                allowed: core.union(adapters).union(drivers).union(["Runtime"])
            ),
        ]
        + [
            ("Postgres", "CPostgres"), ("Kafka", "CKafka"), ("Crypto", "COpenSSL"),
            ("HTTPClient", "CCurl"), ("YAML", "CYAML"),
        ].map { driver, library in
            Rule(folder: "Drivers/\(driver)", allowed: ["Runtime", "Glibc", library])
        }
        + [
            Rule(
                folder: "Drivers/HTTPServer",
                allowed: ["Runtime", "Glibc"],
                narrow: ["TLS": ["COpenSSL"]]
            )
        ]
        + [
            ("Persistence", ["Postgres", "Crypto"]), ("Messaging", ["Kafka"]),
            ("Signing", ["Crypto"]), ("WebAPI", ["HTTPServer"]), ("Delivery", ["HTTPClient"]),
            ("Configuration", ["YAML"]), ("InMemory", []),
        ].map { adapter, own in
            Rule(folder: "Adapters/\(adapter)", allowed: core.union(["Runtime"]).union(own))
        }
        + ["token-issuer", "event-relay", "revocation-projector", "chancery"].map {
            Rule(
                folder: "Executables/\($0)",
                allowed: core.union(adapters).union(["Runtime", "Assembly"]),
                narrow: ["Wiring": drivers]
            )
        }

    @Test("a target imports what the table says", arguments: rules) func holds(_ rule: Rule) {
        for file in SourceTree.files(under: "Sources/\(rule.folder)") {
            let foreign = rule.violations(in: file)
            #expect(foreign.isEmpty, "\(file.path) imports \(foreign.sorted())")
        }
    }

    @Test("every target has a row") func everyTargetHasARow() {
        #expect(SourceTree.targetFolders() == Set(Self.rules.map(\.folder)))
    }

    @Test(
        "a forbidden import is seen in every spelling",
        arguments: [
            "import Foundation", "internal import Foundation", "@preconcurrency import Foundation",
            "import struct Foundation.Data", "  package import Foundation",
        ]
    )
    func seesABadSample(_ line: String) throws {
        let rule = try #require(Self.rules.first { $0.folder == "Core/Domain" })
        let file = SourceFile(path: "Sources/Core/Domain/Bad.swift", text: line)
        #expect(rule.violations(in: file) == ["Foundation"])
    }

    @Test("a driver stays in the wiring") func wiringAloneMeetsDrivers() throws {
        let rule = try #require(Self.rules.first { $0.folder == "Executables/token-issuer" })
        let text = "import Postgres\n// import Kafka\nlet x = \"import Crypto\""
        let route = SourceFile(path: "Sources/Executables/token-issuer/Route.swift", text: text)
        #expect(rule.violations(in: route) == ["Postgres"])
        for path in ["Wiring.swift", "Wiring/Topics.swift"] {
            let wiring = SourceFile(path: "Sources/Executables/token-issuer/\(path)", text: text)
            #expect(rule.violations(in: wiring).isEmpty)
        }
    }
}
