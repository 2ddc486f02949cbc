import Foundation
import TestSupport
import Testing

/// A synchronous standby that answers no more: every commit waits, and nothing else may.
@Suite("A silent standby", .serialized, .timeLimit(.minutes(4))) struct SilentStandbyTests {
    private static let signIns = 6
    private static let looks = 12
    /// Four times what a connection may be silent.
    private static let silence = Duration.seconds(20)
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
            var times: [Duration] = []
            for number in 0..<Self.looks {
                let begin = ContinuousClock.now
                let answer = try await site.send(look)
                times.append(ContinuousClock.now - begin)
                #expect(answer.status == 200, "\(number): \(answer.text)")
                #expect(answer.text.contains(Self.active), "\(number)")
            }
            // A busy machine may hold some up; one that is sent again takes a second.
            #expect(times.sorted()[Self.looks / 2] < .seconds(1), "\(times)")
            // They waited all the while, and go on.
            #expect(try Self.waiting(stack) > 0)
            try Self.name("", stack)
            for try await status in group { #expect(status == 303) }
        }
    }

    @Test("costs no server process but those of the connections there are, however long")
    func lasting() async throws {
        let stack = try RunningStack.own(named: "long-standby")
        defer { stack.end() }
        let site = Site(stack)
        var person = Person(at: site)
        _ = try await person.session()
        let before = try Self.processes(stack)
        try Self.name("nobody", stack)
        defer { try? Self.name("", stack) }
        let end = ContinuousClock.now + Self.silence
        var statuses: [Int] = []
        while ContinuousClock.now < end {
            // By turns to each loop: what they write waits on all their connections.
            statuses += try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<Self.signIns {
                    let name = "long-\(UUID().uuidString)@example.com"
                    group.addTask {
                        let form = try await LoginForm(at: site.origin, host: site.authority)
                        return try await form.posted(name).answer.status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try await Task.sleep(for: .seconds(1))
        }
        #expect(!statuses.contains(303), "\(statuses)")
        // The questions why a commit waits are gone at once.
        let after = try Self.processes(stack)
        #expect(after <= before + 2, "\(before) and then \(after)")
        let waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        #expect(try !Psql.rows(waiting, stack).isEmpty)
        try Self.name("", stack)
        try await Waiting.until("somebody new is signed in") {
            let form = try await LoginForm(at: site.origin, host: site.authority)
            let name = "after-\(UUID().uuidString)@example.com"
            return try await form.posted(name).answer.status == 303
        }
    }

    @Test("what a crash shows of a commit that waited is called done when the standby has it")
    func shown() async throws {
        let stack = try RunningStack.own(named: "crashed-standby")
        defer { stack.end() }
        let site = Site(stack)
        var person = Person(at: site)
        let session = try await person.session()
        let other = try await person.session(scope: Person.everything)
        let look = Self.look(at: session.member("access_token") ?? "", stack)
        #expect(try await site.send(look).text.contains(Self.active))
        let revocation = WireRequest.revoke(session.member("refresh_token"))
        try Self.name("nobody", stack)
        defer { try? Self.name("", stack) }
        async let first = Self.once(revocation, at: site)
        try await Waiting.until("the revocation waits for the standby") {
            try !Psql.rows(Self.appending, stack).isEmpty
        }
        // As by a crash: nobody is told of what waited, and all see it.
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        _ = try Psql.rows("\(end) WHERE usename = 'token_issuer'", stack)
        try await Waiting.until("the issuer sees it") {
            try await site.send(look).text.contains(#""active":false"#)
        }
        let heard = try await first
        #expect(heard.status == 503, "\(heard.text)")
        // Whoever heard that asks again.
        let again = try await Self.once(revocation, at: site)
        #expect(again.status == 503, "\(again.text)")
        // Nor is anybody told that no other session is left.
        let others = WireRequest.bearing(
            other.member("access_token") ?? "",
            "POST",
            "/api/v1/sessions/revoke_others"
        )
        let count = try await Self.once(others, at: site)
        #expect(count.status == 503, "\(count.text)")
        try Self.name("", stack)
        try await Waiting.until("it is called done") {
            try await Self.once(revocation, at: site).status == 200
        }
    }

    private static let appending = """
        SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE '%es.append%'
        """

    /// Sends a request of which a 503 is an answer, too.
    private static func once(_ request: WireRequest, at site: Site) async throws -> WireAnswer {
        var browser = site.browser()
        return try await browser.send(
            request.method,
            request.target,
            headers: request.headers,
            body: request.body,
            isRepeated: false
        )
    }

    /// The server processes of the issuer, those of connections that it has closed among them.
    private static func processes(_ stack: RunningStack) throws -> Int {
        let theirs = "SELECT pid FROM pg_stat_activity WHERE usename = 'token_issuer'"
        return try Psql.rows(theirs, stack).count
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
