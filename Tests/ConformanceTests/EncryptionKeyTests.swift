import Foundation
import TestSupport
import Testing

/// Decision 0206, with the programs themselves: what is sealed is read at every step.
@Suite("A key encryption key that is replaced", .timeLimit(.minutes(3)))
struct EncryptionKeyTests {
    @Test("wraps everything anew while issuers of either key serve, and the former one may go")
    func replaced() async throws {
        let stack = try RunningStack.own(named: "kek")
        defer { stack.end() }
        let folder = "\(IssuerProcess.folder(of: stack))/secrets"
        var person = Person(at: Site(stack))
        let token = try await person.session(scope: "openid offline_access email")
            .member("access_token")
        let versions = try Psql.rows(Self.versions, stack)
        #expect(versions.count == 1)
        let (kek, other) = ("\(folder)/kek", "\(folder)/kek-2")
        let key = Data((0..<32).map { _ in UInt8.random(in: 0...255) })
        try key.write(to: URL(filePath: other))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: other)

        // Those of the stack keep the old one as theirs, as before they are started anew.
        let next = try await IssuerProcess(
            beside: stack,
            named: "next",
            ["CHANCERY__KEYS__NEXT__KEK_FILE": other]
        )
        defer { next.stop() }
        #expect(try Psql.rows(Self.versions, stack) == versions)
        let changed = ["CHANCERY__KEYS__KEK_FILE": other, "CHANCERY__KEYS__FORMER__KEK_FILE": kek]
        try Self.expectCheckWritesNothing(stack, changed)
        let former = try await IssuerProcess(beside: stack, named: "former", changed)
        defer { former.stop() }
        try await Waiting.until("all is wrapped anew") {
            former.said.contains("sealing keys were wrapped anew")
                && former.said.contains("a key file was sealed anew")
        }
        #expect(former.said.contains(#""file":"root.key""#))
        let after = try Psql.rows(Self.versions, stack)
        #expect(after.count == 1 && after != versions)
        for (issuer, standing, version) in [
            (next, "current", versions), (next, "next", after), (former, "current", after),
            (former, "former", versions),
        ] {
            let series = #"chancery_key_encryption_key_id{standing="\#(standing)"}"#
            #expect(try await issuer.metric(series) == version[0][0])
        }
        try await Self.expectFormerMayGo(stack, changed)
        let alone = try await IssuerProcess(
            beside: stack,
            named: "alone",
            ["CHANCERY__KEYS__KEK_FILE": other]
        )
        defer { alone.stop() }
        for issuer in [next, former, alone] {
            let site = Site(stack, nodes: [issuer.origin])
            let answer = try await site.send(.bearing(token ?? ""))
            #expect(answer.status == 200 && answer.text.contains(#""email":""#), "\(answer.text)")
        }
    }

    private static func expectCheckWritesNothing(
        _ stack: RunningStack,
        _ changes: [String: String]
    ) throws {
        let folder = IssuerProcess.folder(of: stack)
        let file = URL(filePath: "\(folder)/secrets/signing/root.key")
        let root = try Data(contentsOf: file)
        let words = ["--config", "\(folder)/config/token-issuer.yaml", "--insecure-dev", "--check"]
        let check = try ProgramRun(ours: "token-issuer", words, changes)
        #expect(check.code == 0, "\(check.said)")
        #expect(try Data(contentsOf: file) == root)
    }

    /// One that is started now finds at its first look what the others would at a later one.
    private static func expectFormerMayGo(
        _ stack: RunningStack,
        _ changes: [String: String]
    ) async throws {
        let last = try await IssuerProcess(beside: stack, named: "last", changes)
        defer { last.stop() }
        try await Waiting.until("the former key may go") {
            last.said.contains("nothing is wrapped by the former key encryption key")
        }
        for kind in ["file", "row", "unopened"] {
            #expect(try await last.metric(#"chancery_former_keys{kind="\#(kind)"}"#) == "0")
        }
    }

    private static let versions = """
        SELECT DISTINCT kek_version FROM es.sealing_keys WHERE destroyed_at IS NULL
        """
}
