import Foundation
import TestSupport
import Testing

/// `chancery doctor` on a running stack: the start list (Security 10).
@Suite("The doctor's start list", .timeLimit(.minutes(4))) struct DoctorTests {
    /// One thing that it looked at.
    struct Finding {
        var level: String
        var sentence: String
        var rule: Int?
        var remedy: String?
    }

    /// A change of the token-issuer's file, and the rule it breaks.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let rule: Int
        let old: String
        let new: String
        let said: String
        /// Whether `--insecure-dev` allows it.
        var isForDevelopment = false
    }

    static let faults = [
        Fault(
            testDescription: "an admin listener for everybody",
            rule: 2,
            old: "listen: \"127.0.0.1:",
            new: "listen: \"0.0.0.0:",
            said: "admin.listen"
        ),
        Fault(
            testDescription: "a key encryption key that is not there",
            rule: 3,
            old: "kek_file: \"",
            new: "kek_file: \"/nowhere",
            said: "is not there"
        ),
        Fault(
            testDescription: "a remote database without TLS",
            rule: 4,
            old: "host: \"",
            new: "host: \"db.example.com\" # ",
            said: "database.tls_authorities_file"
        ),
        Fault(
            testDescription: "remote brokers without TLS",
            rule: 8,
            old: "bootstrap: \"",
            new: "bootstrap: \"kafka.example.com:9092,",
            said: "kafka.tls_authorities_file",
            isForDevelopment: true
        ),
        Fault(
            testDescription: "mail without TLS",
            rule: 13,
            old: "relay: \"127.0.0.1",
            new: "relay: \"192.0.2.1",
            said: "mail.plain"
        ),
        Fault(
            testDescription: "a password in the file",
            rule: 15,
            old: "database:\n",
            new: "database:\n  password: hunter2\n",
            said: "password_file"
        ),
    ]

    @Test("names every rule, and finds no fault in a development stack") func whole() throws {
        let stack = try RunningStack.running()
        let (findings, code) = try Self.run(stack, "\(Self.settings(stack))/operator.yaml")
        #expect(Set(findings.compactMap(\.rule)) == Set(1...15))
        let isFaulty = findings.contains { $0.level == "fault" }
        #expect(code == (isFaulty ? 1 : 0))
        func levels(_ rule: Int) -> Set<String> {
            Set(findings.filter { $0.rule == rule }.map(\.level))
        }
        for rule in [2, 4, 5, 6, 9, 13, 15] { #expect(levels(rule) == ["ok"], "\(rule)") }
        #expect(findings.contains { $0.sentence.contains("partitions are made ahead") })
        // An issuer on plain HTTP and no standby: right for development.
        for rule in [1, 7] { #expect(levels(rule) == ["warning"], "\(rule)") }
        #expect(levels(14) == ["unseen"])
        #expect(findings.allSatisfy { ($0.remedy == nil) == ($0.level == "ok") })
    }

    @Test("a setting that a start refuses is a fault of its rule", arguments: faults)
    func finds(_ fault: Fault) throws {
        let stack = try RunningStack.running()
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["operator", "token-issuer"] {
            var text = try String(
                contentsOfFile: "\(Self.settings(stack))/\(name).yaml",
                encoding: .utf8
            )
            if name == "token-issuer" {
                #expect(text.contains(fault.old))
                text.replace(fault.old, with: fault.new)
            }
            let file = folder.appending(path: "\(name).yaml")
            try text.write(to: file, atomically: false, encoding: .utf8)
        }
        let (findings, code) = try Self.run(stack, folder.appending(path: "operator.yaml").path)
        let faults = findings.filter { $0.level == "fault" && $0.rule == fault.rule }
        #expect(!faults.isEmpty && code == 1)
        #expect(faults.allSatisfy { $0.remedy != nil }, "\(faults)")
        #expect(faults.contains { $0.sentence.contains(fault.said) }, "\(faults)")
        let file = folder.appending(path: "token-issuer.yaml").path
        let (said, end) = try Self.check(file)
        #expect(end == (fault.isForDevelopment ? 0 : 78), "\(said)")
        guard fault.isForDevelopment else { return }
        let (allowed, _) = try Self.run(
            stack,
            folder.appending(path: "operator.yaml").path,
            ["--insecure-dev"]
        )
        let found = allowed.filter { $0.sentence.contains(fault.said) }
        #expect(found.map(\.level) == ["warning"], "\(allowed)")
        let (refusal, status) = try Self.check(file, isInsecureDev: false)
        #expect(status == 78 && refusal.contains(fault.said), "\(refusal)")
    }

    @Test("--check passes what starts, and refuses what does not, also of what is no setting")
    func checks() throws {
        let stack = try RunningStack.running()
        let file = "\(Self.settings(stack))/token-issuer.yaml"
        let (right, code) = try Self.check(file)
        #expect(code == 0 && right.contains("is right"), "\(right)")
        let (wrong, end) = try Self.check(file, ["CHANCERY__DATABASE__NAME": "postgres"])
        #expect(end == 78 && wrong.contains("schema"), "\(wrong)")
        let (away, left) = try Self.check(file, ["CHANCERY__DATABASE__HOST": "/nowhere"])
        #expect(left == 0 && away.contains("could not be looked at"), "\(away)")
    }

    @Test("what a process's unit sets is no fault of its file") func ofUnit() throws {
        let stack = try RunningStack.running()
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["operator", "token-issuer"] {
            let text = try String(
                contentsOfFile: "\(Self.settings(stack))/\(name).yaml",
                encoding: .utf8
            )
            let lines = text.split(separator: "\n").filter { !$0.contains("kek_file:") }
            let file = folder.appending(path: "\(name).yaml")
            try lines.joined(separator: "\n").write(to: file, atomically: false, encoding: .utf8)
        }
        let (findings, _) = try Self.run(stack, folder.appending(path: "operator.yaml").path)
        let ofKeys = findings.filter { $0.sentence.contains("keys.kek_file") }
        #expect(ofKeys.map(\.level) == ["unseen"], "\(ofKeys)")
    }

    @Test("a key directory that cannot be written keeps no issuer from its start; an open one does")
    func rightsOfKeys() throws {
        let stack = try RunningStack.running()
        let folder = try Self.folder()
        let keys = folder.appending(path: "keys").path
        let manager = FileManager.default
        defer {
            try? manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: keys)
            try? manager.removeItem(at: folder)
        }
        for name in ["operator", "token-issuer"] {
            let own = "\(Self.settings(stack))/\(name).yaml"
            var text = try String(contentsOfFile: own, encoding: .utf8)
            if let named = text.firstMatch(of: /directory: "([^"]*)"/) {
                try manager.copyItem(atPath: String(named.1), toPath: keys)
                text.replace(named.1, with: keys)
            }
            let file = folder.appending(path: "\(name).yaml")
            try text.write(to: file, atomically: false, encoding: .utf8)
        }
        let rows: [(mode: Int, level: String, end: Int32)] = [
            (0o700, "ok", 0), (0o500, "warning", 0), (0o770, "fault", 78),
        ]
        for (mode, level, end) in rows {
            try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: keys)
            let (findings, _) = try Self.run(stack, folder.appending(path: "operator.yaml").path)
            let ofKeys = findings.filter { $0.sentence.hasPrefix("\(keys) ") }
            #expect(ofKeys.map(\.level) == [level], "\(findings)")
            let (said, code) = try Self.check(folder.appending(path: "token-issuer.yaml").path)
            #expect(code == end, "\(said)")
            #expect(said.contains("may be written by others") == (level == "fault"), "\(said)")
            #expect(said.contains("no key can be made on this node") == (level == "warning"))
        }
    }

    @Test("a first project is not advised where the database holds another root's")
    func otherRoot() throws {
        let stack = try RunningStack.running()
        func answer(_ body: String) -> String {
            "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
        let admin = try ScriptedAdmin([
            answer(#"{"checks":{"schema":"ok"}}"#), answer(#"{"result":{"projects":[]}}"#),
        ])
        defer { admin.close() }
        let file = "\(Self.settings(stack))/operator.yaml"
        let (findings, code) = try Self.run(stack, file, ["--admin", admin.origin])
        let found = findings.filter { $0.sentence.contains("knows none of the projects") }
        #expect(found.map(\.level) == ["fault"] && code == 1, "\(findings)")
        #expect(found.allSatisfy { $0.remedy?.contains("the whole key directory") == true })
        #expect(!findings.contains { $0.remedy?.contains("Apply one") == true }, "\(findings)")
    }

    @Test("limits of its own are a fault of no file") func limits() throws {
        let stack = try RunningStack.running()
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "token-issuer.yaml")
        let own = "\(Self.settings(stack))/token-issuer.yaml"
        let text = try String(contentsOfFile: own, encoding: .utf8)
        try (text + "rate_limits: {per_minute: {page: 300}}\n")
            .write(to: file, atomically: false, encoding: .utf8)
        // The file of a process serves as the operator's, too.
        let (findings, _) = try Self.run(stack, file.path)
        #expect(!findings.isEmpty)
        #expect(!findings.contains { $0.rule == 15 && $0.level == "fault" }, "\(findings)")
    }

    /// What a token-issuer says to `--check`, and what it returns.
    private static func check(
        _ settings: String,
        _ changes: [String: String] = [:],
        isInsecureDev: Bool = true
    ) throws -> (said: String, code: Int32) {
        var words = ["--config", settings, "--check"]
        if isInsecureDev { words.append("--insecure-dev") }
        let run = try ProgramRun(ours: "token-issuer", words, changes)
        return (run.said, run.code)
    }

    /// A new one, for files that a test changes.
    private static func folder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "chancery-doctor-\(UUID().uuidString.prefix(8).lowercased())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    static func settings(_ stack: RunningStack) -> String {
        let folder = URL(filePath: stack.facts["MAILDIR"] ?? "").deletingLastPathComponent()
        return folder.appending(path: "config").path
    }

    /// What the program says as JSON, and what it returns.
    static func run(
        _ stack: RunningStack,
        _ settings: String,
        _ words: [String] = []
    ) throws -> (findings: [Finding], code: Int32) {
        let doctor = try ProgramRun(
            ours: "chancery",
            ["doctor", "--json", "--config", settings] + words,
            [
                "ADMIN_URL": stack.facts["ADMIN_URL"] ?? "",
                "ADMIN_TOKEN": stack.facts["ADMIN_TOKEN"] ?? "",
            ],
            complaints: false
        )
        let bytes = Data(doctor.said.utf8)
        let list = try JSONSerialization.jsonObject(with: bytes) as? [[String: Any]] ?? []
        let findings = list.map { entry in
            Finding(
                level: entry["level"] as? String ?? "",
                sentence: entry["finding"] as? String ?? "",
                rule: entry["start_rule"] as? Int,
                remedy: entry["remedy"] as? String
            )
        }
        return (findings, doctor.code)
    }
}
