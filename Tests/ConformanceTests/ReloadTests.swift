import Foundation
import Runtime
import TestSupport
import Testing

/// SIGHUP, through the wire (Architecture 10).
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
        #expect(try await Self.status(token, issuer) == 200)

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
        #expect(try await Self.status(token, issuer) == 401)
    }

    @Test("takes nothing of a file that is not written to its end yet") func torn() async throws {
        let stack = try RunningStack.running()
        let file = try SettingsCopy(of: stack, named: "torn")
        defer { file.remove() }
        let token = try #require(stack.facts["ADMIN_TOKEN"])
        let whole = file.original
        try file.write(whole)
        let issuer = try await IssuerProcess(beside: stack, named: "torn", settings: file.path)
        defer { issuer.stop() }
        // Whatever is cut off before it lacks it, at least; operators stand before it, too.
        let last = try #require(whole.range(of: "  sender:")).lowerBound
        try #require(whole.range(of: "operators:")?.lowerBound ?? last < last)
        var failures = 0
        var line = whole.startIndex
        while line < last {
            let end = whole[line..<last].firstIndex(of: "\n") ?? last
            let middle = whole.index(line, offsetBy: whole[line..<end].count / 2)
            for cut in [middle, end] {
                try file.write(String(whole[..<cut]))
                issuer.signal(SIGHUP)
                failures += 1
                try await Waiting.until("it has read \(whole[line..<cut])") {
                    issuer.said.components(separatedBy: "not reloaded").count > failures
                }
                #expect(try await Self.status(token, issuer) == 200, "\(whole[line..<cut])")
            }
            line = end < last ? whole.index(after: end) : last
        }
        #expect(try await Self.failed(issuer) == "1")
        #expect(!issuer.said.contains("\"reloaded\""))
        try file.write(whole)
        issuer.signal(SIGHUP)
        try await Waiting.until("it has read all of it") { issuer.said.contains("\"reloaded\"") }
        #expect(try await Self.failed(issuer) == "0")
        #expect(issuer.said.contains("no setting has changed that may change"))
    }

    @Test("answers every operator while it reads its settings again and again") func amid()
        async throws
    {
        let stack = try RunningStack.running()
        let file = try SettingsCopy(of: stack, named: "amid")
        defer { file.remove() }
        let token = try #require(stack.facts["ADMIN_TOKEN"])
        let info = "log: {level: info}"
        try #require(file.original.contains(info))
        let other = file.original.replacing(info, with: "log: {level: debug}")
        try file.write(file.original)
        let issuer = try await IssuerProcess(beside: stack, named: "amid", settings: file.path)
        defer { issuer.stop() }
        let isOver = Guarded(false)
        let heard = try await withThrowingTaskGroup(of: [Int].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var statuses: [Int] = []
                    while !isOver.current, !Task.isCancelled {
                        statuses.append(try await Self.status(token, issuer))
                    }
                    return statuses
                }
            }
            for turn in 1...10 {
                try file.write(turn.isMultiple(of: 2) ? file.original : other)
                issuer.signal(SIGHUP)
                try await Waiting.until("it has read them \(turn) times") {
                    issuer.said.components(separatedBy: "\"reloaded\"").count > turn
                }
            }
            isOver.replace(with: true)
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(heard) == [200])
        #expect(heard.count > 10)
    }

    /// What an operator hears who asks which projects there are.
    private static func status(_ token: String, _ issuer: IssuerProcess) async throws -> Int {
        var client = Browser(issuer.adminOrigin)
        let bearer = [("Authorization", "Bearer \(token)")]
        return try await client.send("GET", "/admin/v1/projects", headers: bearer).status
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
