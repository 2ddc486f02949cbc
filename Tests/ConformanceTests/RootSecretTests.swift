import Foundation
import Signing
import TestSupport
import Testing

/// Decision 0205, with the programs themselves; the steps' rules are in `SigningTests`.
@Suite("A root secret that is replaced", .timeLimit(.minutes(3))) struct RootSecretTests {
    @Test("is in use on a running issuer within seconds, by the command alone") func replaced()
        async throws
    {
        let stack = try RunningStack.running()
        let folder = IssuerProcess.folder(of: stack)
        let original = try String(
            contentsOfFile: "\(folder)/config/token-issuer.yaml",
            encoding: .utf8
        )
        // The other tests' issuers keep theirs.
        let own = FileManager.default.temporaryDirectory
            .appending(path: "root-\(UUID().uuidString.prefix(8))").path
        defer { try? FileManager.default.removeItem(atPath: own) }
        try FileManager.default.copyItem(atPath: "\(folder)/secrets/signing", toPath: own)
        let file = "\(own)/token-issuer.yaml"
        let changed = original.replacing("\(folder)/secrets/signing", with: own)
        try #require(changed != original)
        try Data(changed.utf8).write(to: URL(filePath: file))
        let issuer = try await IssuerProcess(beside: stack, named: "root", settings: file)
        defer { issuer.stop() }
        func command(_ words: String...) throws -> ProgramRun {
            try ProgramRun(ours: "chancery", ["root-secret"] + words + ["--config", file])
        }

        let first = try Self.shown(try command("show", "--json"))
        #expect(first.second == nil)
        let missing = try command("promote")
        #expect(missing.code == 1 && missing.said.contains("no root secret is staged"))
        let staged = try command("stage")
        #expect(staged.code == 0 && staged.said.contains("next"), "\(staged.said)")
        let second = try #require(try Self.shown(try command("show", "--json")).second)
        #expect(second.standing == "next" && second.id != first.id)
        try await Waiting.until("the issuer has read it") {
            issuer.said.contains(#""id":\#(first.id),"second":"\#(second.id), next""#)
        }
        #expect(try await Self.metric(issuer, "next") == "\(second.id)")
        let again = try command("stage")
        #expect(again.code == 1 && again.said.contains("is staged already"))
        let early = try command("promote")
        #expect(early.code == 1 && early.said.contains("promote it at 20"), "\(early.said)")
        #expect(try Self.shown(try command("show", "--json")).second == second, "nothing changed")

        let stolen = try command("promote", "--emergency")
        #expect(stolen.code == 0, "\(stolen.said)")
        let last = try Self.shown(try command("show", "--json"))
        #expect(last.second == nil && ![first.id, second.id].contains(last.id))
        try await Waiting.until("the issuer has read it") {
            issuer.said.contains(#""id":\#(last.id),"second":"none""#)
        }
        #expect(try await Self.metric(issuer, "next") == nil)
        #expect(try await Self.metric(issuer, "current") == "\(last.id)")
    }

    @Test("damaged, or of another log, is not taken by a running issuer, which says so once")
    func foreign() async throws {
        let stack = try RunningStack.running()
        let folder = "\(IssuerProcess.folder(of: stack))/secrets"
        let own = FileManager.default.temporaryDirectory
            .appending(path: "root-\(UUID().uuidString.prefix(8))").path
        defer {
            for path in [own, "\(own)-other"] { try? FileManager.default.removeItem(atPath: path) }
        }
        try FileManager.default.copyItem(atPath: "\(folder)/signing", toPath: own)
        _ = try KeyDirectory.make(
            at: "\(own)-other",
            unlockedBy: .credential(path: "\(folder)/kek")
        )
        let issuer = try await IssuerProcess(
            beside: stack,
            named: "foreign",
            ["CHANCERY__KEYS__DIRECTORY": own]
        )
        defer { issuer.stop() }
        let root = URL(filePath: "\(own)/root.key")
        let kept = try Data(contentsOf: root)
        let id = try await Self.metric(issuer, "current")
        #expect(try await Self.unread(issuer) == "0")
        let faults = [
            (Data("damaged".utf8), "does not open under this key"),
            (try Data(contentsOf: URL(filePath: "\(own)-other/root.key")), "of another log"),
        ]
        for (content, fault) in faults {
            try content.write(to: root)
            try await Waiting.until(fault) { issuer.said.contains(fault) }
            #expect(try await Self.metric(issuer, "current") == id)
            #expect(try await Self.unread(issuer) == "1")
        }
        try kept.write(to: root)
        try await Waiting.until("it says that it is well again") {
            issuer.said.contains("the root secret was read")
        }
        #expect(try await Self.unread(issuer) == "0")
        #expect(issuer.said.components(separatedBy: "file is not used").count == 3, "each once")
    }

    private struct Shown: Decodable, Equatable {
        struct Second: Decodable, Equatable {
            let id: UInt32
            let standing: String
            let since: String
        }

        let id: UInt32
        let second: Second?
    }

    private static func shown(_ run: ProgramRun) throws -> Shown {
        try #require(run.code == 0, "\(run.said)")
        return try JSONDecoder().decode(Shown.self, from: Data(run.said.utf8))
    }

    private static func metric(_ issuer: IssuerProcess, _ standing: String)
        async throws -> String?
    {
        try await issuer.metric(#"chancery_root_secret_id{standing="\#(standing)"}"#)
    }

    private static func unread(_ issuer: IssuerProcess) async throws -> String? {
        try await issuer.metric("chancery_root_secret_unread")
    }
}
