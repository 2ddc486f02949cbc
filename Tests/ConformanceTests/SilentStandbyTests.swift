import Foundation
import TestSupport
import Testing

/// A synchronous standby that answers no more: every commit waits, and nothing else may.
@Suite("A silent standby", .timeLimit(.minutes(4))) struct SilentStandbyTests {
    private static let signIns = 6
    private static let looks = 12
    private static let active = #""active":true"#

    @Test("holds up who commits; who looks at a token is answered at once") func answers()
        async throws
    {
        let stack = try RunningStack.own(named: "standby")
        defer { stack.end() }
        let site = Site(stack)
        var person = Person(at: site)
        let token = try await person.session().member("access_token") ?? ""
        let look = Self.look(at: token, stack)
        #expect(try await site.send(look).text.contains(Self.active))
        var forms: [LoginForm] = []
        // Enough that each loop of the issuer has one.
        for _ in 0..<Self.signIns {
            forms.append(try await LoginForm(at: site.origin, host: site.authority))
        }
        try Self.name("nobody", stack)
        defer { try? Self.name("", stack) }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for (number, form) in forms.enumerated() {
                group.addTask {
                    try await form.posted("standby-\(number)@example.com").answer.status
                }
            }
            try await Waiting.until("a new sealing key waits for the standby") {
                try Self.waiting(stack) > 0
            }
            for number in 0..<Self.looks {
                let begin = ContinuousClock.now
                let browser = site.browser()
                let answer = try await Self.once(look, browser)
                let took = ContinuousClock.now - begin
                #expect(answer.status == 200, "\(number): \(answer.text)")
                #expect(answer.text.contains(Self.active), "\(number)")
                #expect(took < .milliseconds(1_000), "\(number)")
            }
            // They waited all the while, and go on.
            #expect(try Self.waiting(stack) > 0)
            try Self.name("", stack)
            for try await status in group { #expect(status == 303) }
        }
    }

    private static func look(at token: String, _ stack: RunningStack) -> WireRequest {
        let service = Data((stack.facts["CLIENT_API"] ?? "").utf8).base64EncodedString()
        return WireRequest(
            "POST",
            "/oauth2/introspect",
            [("Authorization", "Basic \(service)")],
            "token=\(token)"
        )
    }

    private static func once(_ request: WireRequest, _ browser: Browser) async throws
        -> WireAnswer
    {
        var browser = browser
        return try await browser.send(
            request.method,
            request.target,
            headers: request.headers,
            body: request.body,
            isRepeated: false
        )
    }

    /// Says which standbys commits wait for, and waits until that counts.
    private static func name(_ standbys: String, _ stack: RunningStack) throws {
        let change = "ALTER SYSTEM SET synchronous_standby_names = '\(standbys)'"
        _ = try Psql.rows(change, stack)
        _ = try Psql.rows("SELECT pg_reload_conf()", stack)
        Thread.sleep(forTimeInterval: 0.5)
    }

    /// The connections whose new sealing key waits for a standby.
    private static func waiting(_ stack: RunningStack) throws -> Int {
        try Psql.rows(
            """
            SELECT pid FROM pg_stat_activity
             WHERE wait_event = 'SyncRep' AND query LIKE '%sealing_keys%'
            """,
            stack
        ).count
    }
}
