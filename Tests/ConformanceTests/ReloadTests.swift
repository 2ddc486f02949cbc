import Foundation
import TestSupport
import Testing

/// SIGHUP, through the wire (architecture.md section 10).
@Suite("A token-issuer that reads its settings again", .timeLimit(.minutes(3)))
struct ReloadTests {
    @Test("takes what is right, says what is not, and changes nothing then") func sighup()
        async throws
    {
        let stack = try RunningStack.running()
        let original = try String(
            contentsOfFile: "\(IssuerProcess.folder(of: stack))/config/token-issuer.yaml",
            encoding: .utf8
        )
        let file = FileManager.default.temporaryDirectory
            .appending(path: "reload-\(UUID().uuidString.prefix(8)).yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        let info = "log: {level: info}"
        try #require(original.contains(info) && !original.contains("rate_limits:"))
        func write(_ lines: String) throws {
            let rest = original.replacing(info, with: "")
            try Data((rest + "\n" + lines + "\n").utf8).write(to: file)
        }
        try write(info)
        let issuer = try await IssuerProcess(beside: stack, named: "again", settings: file.path)
        defer { issuer.stop() }
        let host = try #require(stack.issuer.components(separatedBy: "://").last)
        // Development waits a hundred times as long before it refuses.
        #expect(try await Self.statuses(of: 150, issuer, host) == [401])

        try write("log: {level: debug}\nrate_limits: {per_minute: {failed_request: 1, page: -1}}")
        issuer.signal(SIGHUP)
        try await Waiting.until("it says what is wrong") { issuer.said.contains("not reloaded") }
        #expect(issuer.said.contains("\(file.path):"))
        #expect(issuer.said.contains("rate_limits.per_minute.page"))
        #expect(try await Self.failed(issuer) == "1")
        #expect(try await Self.statuses(of: 150, issuer, host) == [401])
        #expect(!issuer.said.contains("\"level\":\"debug\""))

        try write("log: {level: debug}\nrate_limits: {per_minute: {failed_request: 1}}")
        issuer.signal(SIGHUP)
        try await Waiting.until("it has read them") { issuer.said.contains("\"reloaded\"") }
        #expect(try await Self.failed(issuer) == "0")
        #expect(try await Self.statuses(of: 150, issuer, host) == [401, 429])
        #expect(issuer.said.contains("\"level\":\"debug\""))
        let used = #""settings":"log.level, rate_limits.per_minute.failed_request""#
        #expect(issuer.said.contains(used), "\(issuer.said.suffix(2000))")
        #expect(!issuer.said.contains("wait for a restart"))

        try write(
            "log: {level: debug}\nrate_limits: {per_minute: {failed_request: 1}}\n"
                + "limits: {cache_megabytes: 128}"
        )
        issuer.signal(SIGHUP)
        try await Waiting.until("it says what waits") { issuer.said.contains("for a restart\"") }
        #expect(issuer.said.contains(#""settings":"limits.cache_megabytes""#))
        #expect(issuer.said.contains("no setting has changed that may change"))
    }

    /// How token requests without a grant are answered.
    private static func statuses(of count: Int, _ issuer: IssuerProcess, _ host: String)
        async throws -> Set<Int>
    {
        var client = Browser(issuer.origin)
        var statuses: Set<Int> = []
        for _ in 0..<count {
            let answer = try await client.send(
                "POST",
                "/oauth2/token",
                headers: [("Host", host)],
                body: "client_id=nobody&grant_type=refresh_token"
            )
            statuses.insert(answer.status)
        }
        return statuses
    }

    private static func failed(_ issuer: IssuerProcess) async throws -> String? {
        try await issuer.metric("chancery_reload_failed")
    }
}
