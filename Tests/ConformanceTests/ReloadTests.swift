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
        let file = try SettingsCopy(of: stack, named: "reload")
        defer { file.remove() }
        let info = "log: {level: info}"
        try #require(file.original.contains(info) && !file.original.contains("rate_limits:"))
        func write(_ lines: String) throws {
            try file.write(file.original.replacing(info, with: "") + "\n" + lines + "\n")
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

    @Test("lets in the operators of the file it read last") func operators() async throws {
        let stack = try RunningStack.running()
        let file = try SettingsCopy(of: stack, named: "operators")
        defer { file.remove() }
        let original = file.original
        try file.write(original)
        let issuer = try await IssuerProcess(beside: stack, named: "asked", settings: file.path)
        defer { issuer.stop() }
        let token = try #require(stack.facts["ADMIN_TOKEN"])
        func status() async throws -> Int {
            var client = Browser(issuer.adminOrigin)
            let bearer = [("Authorization", "Bearer \(token)")]
            return try await client.send("GET", "/admin/v1/projects", headers: bearer).status
        }
        #expect(try await status() == 200)

        let digest = "token_sha256: "
        let stolen = try #require(original.range(of: digest)).upperBound
        let others = original.replacingOccurrences(
            of: String(original[stolen...].prefix(64)),
            with: String(repeating: "0", count: 64)
        )
        try file.write(others)
        issuer.signal(SIGHUP)
        try await Waiting.until("it has read them") { issuer.said.contains("\"reloaded\"") }
        #expect(issuer.said.contains(#""settings":"admin.operators""#))
        #expect(issuer.said.contains("an operator has another token or certificate"))
        #expect(try await status() == 401)
    }

    /// How token requests without a grant are answered.
    ///
    /// Ten at a time: one after the other may be slower than what a limit lets through.
    private static func statuses(of count: Int, _ issuer: IssuerProcess, _ host: String)
        async throws -> Set<Int>
    {
        let atOnce = 10
        return try await withThrowingTaskGroup(of: Set<Int>.self) { group in
            for _ in 0..<atOnce {
                group.addTask {
                    var client = Browser(issuer.origin)
                    var statuses: Set<Int> = []
                    for _ in 0..<count / atOnce {
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
            }
            return try await group.reduce(into: []) { $0.formUnion($1) }
        }
    }

    private static func failed(_ issuer: IssuerProcess) async throws -> String? {
        try await issuer.metric("chancery_reload_failed")
    }
}
