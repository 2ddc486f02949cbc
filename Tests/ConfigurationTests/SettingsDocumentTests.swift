import Testing

import Configuration

@Suite("A process's settings") struct SettingsDocumentTests {
    enum Level: String, CaseIterable { case debug, info }

    /// What the sample program reads.
    struct Sample: Hashable {
        var host: String
        var port: Int
        var timeout: Duration
        var level: Level
        var listeners: [String]
        var databases: [String: String]
        var tls: Bool
        var password: String?
    }

    static func read(_ text: String, _ environment: [String: String] = [:])
        throws(ConfigurationError) -> Sample
    {
        let document = try SettingsDocument(Array(text.utf8), environment: environment)
        let root = document.root
        let database = root.section("database")
        let sample = Sample(
            host: database.string("host", default: "/run/postgresql"),
            port: root.integer("database.port", in: 1...65535, default: 5432),
            timeout: database.duration(
                "timeout",
                in: .milliseconds(100)...(.seconds(60)),
                default: .seconds(3)
            ),
            level: root.choice("log.level", default: Level.info),
            listeners: root.sections("listen").map { $0.string("address", hint: "host:port") },
            databases: Dictionary(
                root.named("databases").map { ($0.name, $0.section.string("user", default: "")) }
            ) { first, _ in first },
            tls: database.bool("tls", default: false),
            password: database.optionalString("password_file")
        )
        root.ignore("projects")
        try document.finish()
        return sample
    }

    @Test("take defaults for what is absent") func defaults() throws {
        let sample = try Self.read("log: {}")
        #expect(sample.host == "/run/postgresql")
        #expect(sample.port == 5432)
        #expect(sample.timeout == .seconds(3))
        #expect(sample.level == .info)
        #expect(sample.listeners.isEmpty)
        #expect(!sample.tls)
    }

    @Test("are read by section, list and name") func everything() throws {
        let sample = try Self.read(
            """
            database: {host: db, port: 6432, timeout: 250ms, tls: true, password_file: /run/p}
            listen:
              - address: 127.0.0.1:80
              - {address: "[::1]:80"}
            databases: {relay: {user: event_relay}}
            log: {level: debug}
            projects: [{anything: [goes]}]
            """
        )
        #expect(sample.host == "db")
        #expect(sample.port == 6432)
        #expect(sample.timeout == .milliseconds(250))
        #expect(sample.level == .debug)
        #expect(sample.listeners == ["127.0.0.1:80", "[::1]:80"])
        #expect(sample.databases == ["relay": "event_relay"])
        #expect(sample.tls)
        #expect(sample.password == "/run/p")
    }

    @Test("can be overridden by the environment, also where the file is silent")
    func overrides() throws {
        let sample = try Self.read(
            "database: {port: 1}\nlisten: [{address: a}]",
            [
                "CHANCERY__DATABASE__PORT": "2", "CHANCERY__DATABASE__PASSWORD_FILE": "/p",
                "CHANCERY__LISTEN__0__ADDRESS": "b", "CHANCERY__LOG__LEVEL": "debug",
                "CHANCERY_OTHER": "x", "HOME": "/root", "CHANCERY_DATABASES": "x",
                // What Kubernetes sets for services called chancery-admin and chancery-database.
                "CHANCERY_ADMIN_SERVICE_HOST": "10.0.0.9", "CHANCERY_ADMIN_SERVICE_PORT_WEB": "1",
                "CHANCERY_DATABASE_PORT": "tcp://10.0.0.9:5432",
                "CHANCERY_DATABASE_PORT_5432_TCP_ADDR": "10.0.0.9",
            ]
        )
        #expect(sample.port == 2)
        #expect(sample.password == "/p")
        #expect(sample.listeners == ["b"])
        #expect(sample.level == .debug)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String
        var environment: [String: String] = [:]
        var lines: [String]

        init(
            _ sentence: String,
            _ text: String,
            _ environment: [String: String] = [:],
            _ lines: String...
        ) {
            testDescription = sentence
            self.text = text
            self.environment = environment
            self.lines = lines
        }
    }

    private static let near =
        "sets nothing: two underscores stand before and after a section's name, "
        + "CHANCERY__SECTION__KEY"

    static let refusals = [
        Refusal(
            "a mistyped key names the right one",
            "database:\n  hots: db\n",
            [:],
            "x.yaml:2: database.hots: unknown key; did you mean `host`?"
        ),
        Refusal(
            "a foreign key lists what is known there",
            "log:\n  colour: red\n",
            [:],
            "x.yaml:2: log.colour: unknown key; known here: level"
        ),
        Refusal(
            "a key that only looks like one of a section",
            "log.level: debug\ndatabase: {port: 1}\n\"listen[0]\": {address: a}\n",
            ["CHANCERY__DATABASE.HOST": "db"],
            "x.yaml:1: log.level: unknown key; a section's keys stand below it, one a line",
            "x.yaml:3: listen[0]: unknown key; a section's keys stand below it, one a line",
            "CHANCERY__DATABASE.HOST: database.host: unknown key; "
                + "a section's keys stand below it, one a line"
        ),
        Refusal(
            "a secret in the file is sent to a file of its own",
            "database: {password: hunter2}\n",
            [:],
            "x.yaml:1: database.password: unknown key; a secret stands in a file of its own: "
                + "write `password_file`"
        ),
        Refusal(
            "a number out of range tells the range",
            "database:\n  port: 65536\n",
            [:],
            "x.yaml:2: database.port: must be a whole number from 1 to 65535, not `65536`"
        ),
        Refusal(
            "a quoted or signed number is none",
            "database:\n  port: \"5\"\n",
            [:],
            "x.yaml:2: database.port: must be a whole number from 1 to 65535, not `5`"
        ),
        Refusal(
            "a time without unit tells how to write one",
            "database: {timeout: 5}\n",
            [:],
            "x.yaml:1: database.timeout: must be a time from 100ms to 1m such as 250ms, 5s, 10m, "
                + "1h or 30d, not `5`"
        ),
        Refusal(
            "yes is not true",
            "database: {tls: yes}\n",
            [:],
            "x.yaml:1: database.tls: must be true or false, not `yes`"
        ),
        Refusal(
            "another word than the enumeration's lists them",
            "log: {level: loud}\n",
            [:],
            "x.yaml:1: log.level: must be one of `debug`, `info`, not `loud`"
        ),
        Refusal(
            "an empty value",
            "database:\n  host:\n",
            [:],
            "x.yaml:2: database.host: has no value; leave the key out or give it one"
        ),
        Refusal(
            "a value where a section belongs",
            "database: db\n",
            [:],
            "x.yaml:1: database: must hold keys and values"
        ),
        Refusal(
            "a value where a list belongs",
            "listen: 80\n",
            [:],
            "x.yaml:1: listen: must be a list: [a, b], or one line `- a` each"
        ),
        Refusal(
            "a missing key of a list element",
            "listen:\n  - {}\n",
            [:],
            "x.yaml:2: listen[0].address: is required: host:port"
        ),
        Refusal(
            "everything at once, in the order of the document",
            "log: {level: loud}\ndatabase:\n  port: x\n  hots: y\n",
            ["CHANCERY__DATABASE__TLS": "1"],
            "x.yaml:1: log.level: must be one of `debug`, `info`, not `loud`",
            "x.yaml:3: database.port: must be a whole number from 1 to 65535, not `x`",
            "x.yaml:4: database.hots: unknown key; did you mean `host`?",
            "CHANCERY__DATABASE__TLS: database.tls: must be true or false, not `1`"
        ),
        Refusal(
            "an override of an unknown key",
            "log: {}\n",
            ["CHANCERY__LOG__LEVLE": "info"],
            "CHANCERY__LOG__LEVLE: log.levle: unknown key; did you mean `level`?"
        ),
        Refusal(
            "variables that are nearly overrides",
            "database: {port: 1}\n",
            [
                "CHANCERY_DATABASE__HOST": "db", "CHANCERY_DATABASE_PORT": "5432",
                "CHANCERY_RATE_LIMITS__MAILS": "1",
            ],
            "CHANCERY_DATABASE_PORT: \(near)",
            "CHANCERY_DATABASE__HOST: \(near)",
            "CHANCERY_RATE_LIMITS__MAILS: \(near)"
        ),
        Refusal(
            "an override of a section",
            "database: {port: 1}\n",
            ["CHANCERY__DATABASE": "x"],
            "CHANCERY__DATABASE: database: holds more than one value; name the value itself"
        ),
        Refusal(
            "an override past the end of a list",
            "listen: [{address: a}]\n",
            ["CHANCERY__LISTEN__1__ADDRESS": "x"],
            "CHANCERY__LISTEN__1__ADDRESS: listen: is a list of 1; `1` is none of its elements"
        ),
        Refusal(
            "a duplicate key",
            "log: {}\nlog: {}\n",
            [:],
            "x.yaml:2: key `log` appears twice"
        ),
        Refusal(
            "a list instead of a document",
            "- a\n",
            [:],
            "x.yaml:1: must hold keys and values, such as `log: {level: info}`"
        ),
    ]

    @Test(arguments: refusals) func refuses(_ refusal: Refusal) {
        let error = #expect(throws: ConfigurationError.self) {
            try Self.read(refusal.text, refusal.environment)
        }
        #expect(error?.findings.map { $0.line(in: "x.yaml") } == refusal.lines)
    }

    @Test("a finding says of what kind it is, whatever its message says") func kinds() throws {
        let text = "mail: {relay: \"127.0.0.1:25\", username: u, hots: y, plain: maybe}\n"
        let document = try SettingsDocument(Array(text.utf8))
        _ = MailSettings(document.root)
        let error = #expect(throws: ConfigurationError.self) { try document.finish() }
        let findings = error?.findings ?? []
        let kinds = Dictionary(findings.map { ($0.path, $0.kind) }) { first, _ in first }
        let expected: [String: Finding.Kind] = [
            "mail.sender": .missing, "mail.password_file": .missing, "mail.hots": .unknownKey,
            "mail.plain": .wrong,
        ]
        #expect(kinds == expected && findings.count == expected.count)
    }
}
