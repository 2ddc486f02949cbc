import Foundation
import TestSupport
import Testing

/// SIGTERM, through the wire (Architecture 10).
///
/// The notice is long enough to send a request within it on a busy machine.
@Suite("The end of a token-issuer", .timeLimit(.minutes(3))) struct EndingTests {
    private static let notice = "5"
    private static let noticeTime = Duration.milliseconds(4_900)

    @Test("gives notice, answers who waits, and returns 0") func sigterm() async throws {
        let stack = try RunningStack.running()
        let issuer = try await IssuerProcess(
            beside: stack,
            named: "ending",
            ["CHANCERY__NODE__SHUTDOWN_NOTICE_SECONDS": Self.notice]
        )
        let host = try #require(stack.issuer.components(separatedBy: "://").last)
        var page = try await LoginPage(
            at: issuer.origin,
            host: host,
            email: "ending-\(UUID().uuidString.prefix(8))@example.com"
        )
        let admin = Browser(issuer.adminOrigin)
        #expect(try await Self.ready(admin) == 200)
        var poll = page.browser
        let tx = page.tx
        let waiting = Task {
            try await poll.send(
                "GET",
                "/login/status?tx=\(tx)&wait=25",
                headers: [("Host", host)]
            )
        }
        // The signal must find it waiting: its handler runs then.
        try await Waiting.until("a poll waits") { try await Self.waiting(admin) > 0 }
        let told = ContinuousClock.now
        issuer.signal(SIGTERM)
        try await Waiting.until("not ready") { try await Self.ready(admin) == 503 }
        // During the notice everything still works.
        let status = try await page.browser.send(
            "GET",
            "/login/status?tx=\(tx)",
            headers: [("Host", host)]
        )
        #expect(status.status == 200)
        let answer = try await waiting.value
        let took = ContinuousClock.now - told
        #expect(answer.status == 200 && answer.text.contains(#""status":"pending""#))
        #expect(took > Self.noticeTime && took < .seconds(20), "\(took)")
        #expect(issuer.end() == 0)
    }

    @Test("told twice returns 1 at once, whatever is under way") func twice() async throws {
        let stack = try RunningStack.running()
        let issuer = try await IssuerProcess(
            beside: stack,
            named: "ending-twice",
            ["CHANCERY__NODE__SHUTDOWN_NOTICE_SECONDS": "30"]
        )
        let admin = Browser(issuer.adminOrigin)
        #expect(try await Self.ready(admin) == 200)
        issuer.signal(SIGTERM)
        try await Waiting.until("not ready") { try await Self.ready(admin) == 503 }
        let told = ContinuousClock.now
        issuer.signal(SIGTERM)
        try await Waiting.until("told why") { issuer.said.contains("told twice to end") }
        #expect(issuer.end() == 1)
        let took = ContinuousClock.now - told
        #expect(took < .seconds(20), "\(took)")
    }

    @Test("gives back the mail a relay does not take: another node sends it at once")
    func leasedMail() async throws {
        let stack = try RunningStack.running()
        let relay = try SilentServer()
        let issuer = try await IssuerProcess(
            beside: stack,
            named: "leasing",
            [
                "CHANCERY__NODE__SHUTDOWN_NOTICE_SECONDS": "0",
                "CHANCERY__MAIL__RELAY": relay.address,
            ]
        )
        let host = try #require(stack.issuer.components(separatedBy: "://").last)
        let mails = MailBox(page: try #require(stack.facts["MAIL_PAGE"]))
        let address = try await Self.leased(by: relay, at: issuer.origin, host: host, mails)
        let leased = ContinuousClock.now
        issuer.signal(SIGTERM)
        _ = try await mails.newestLink(to: address)
        // Before the lease of 30 s is over.
        #expect(ContinuousClock.now - leased < .seconds(25))
        #expect(issuer.end() == 0)
    }

    @Test("of a projector: gives notice, answers who waits at the feed, and returns 0")
    func projector() async throws {
        let stack = try RunningStack.running()
        let projector = try await IssuerProcess(
            "revocation-projector",
            beside: stack,
            named: "ending-feed",
            ["CHANCERY__NODE__SHUTDOWN_NOTICE_SECONDS": Self.notice]
        )
        let reader = try await FeedReader(stack, at: projector.origin)
        let admin = Browser(projector.adminOrigin)
        try await Waiting.until("a page") { try await reader.get("limit=1").status == 200 }
        let end = try await reader.end()
        // What other tests revoke ends a wait, and so does a newer watermark: of all answers the
        // last one, behind which nobody listens any more, is that of the end.
        let waiting = Task {
            var answer = try await reader.get("after=\(end)&wait=25")
            var answered = ContinuousClock.now
            while let cursor = answer.member("next"),
                let next = try? await reader.get("after=\(cursor)&wait=25")
            {
                answer = next
                answered = .now
            }
            return (answer, answered)
        }
        try await Waiting.until("a reader waits") { try await Self.waiting(admin) > 0 }
        let told = ContinuousClock.now
        projector.signal(SIGTERM)
        try await Waiting.until("not ready") { try await Self.ready(admin) == 503 }
        // During the notice everything still works.
        #expect(try await reader.get("limit=1").status == 200)
        let (answer, answered) = try await waiting.value
        let took = answered - told
        #expect(answer.status == 200 && answer.member("next") != nil, "\(answer.text)")
        // Not before the notice is over, and far before its wait is.
        #expect(took > Self.noticeTime && took < .seconds(20), "\(took)")
        #expect(projector.end() == 0)
    }

    @Test("of an event-relay: it is unready while it hands over") func relay() async throws {
        let stack = try RunningStack.running()
        let name = "ending-relay-\(UUID().uuidString.prefix(8).lowercased())"
        let relay = try await IssuerProcess("event-relay", beside: stack, named: name)
        var servers: [Int32] = []
        defer { for server in servers { kill(server, SIGCONT) } }
        let admin = Browser(relay.adminOrigin)
        try await Waiting.until("it stands by") { try await Self.ready(admin) == 200 }
        // It is held up at its next question, and so at its end.
        servers = try Psql.rows(
            "SELECT pid FROM pg_stat_activity WHERE application_name = '\(name)'",
            stack
        ).compactMap { $0.first.flatMap { Int32($0) } }
        #expect(!servers.isEmpty)
        for server in servers { kill(server, SIGSTOP) }
        try await Task.sleep(for: .milliseconds(1_500))
        relay.signal(SIGTERM)
        var said = ""
        try await Waiting.until("it says that it goes") {
            var admin = admin
            let answer = try await admin.send("GET", "/readyz", isRepeated: false)
            said = answer.text
            return answer.status == 503 && said.contains("going to end")
        }
        for server in servers { kill(server, SIGCONT) }
        #expect(relay.end() == 0, "\(said)")
    }

    /// The address of a mail that a relay was offered by this node, not by the stack's own.
    ///
    /// Whose sign-in it is of does not matter, as long as it is its first mail: what the node has
    /// leased nobody else gets, and other tests wait for theirs.
    private static func leased(
        by relay: SilentServer,
        at origin: String,
        host: String,
        _ mails: MailBox
    ) async throws -> String {
        var found: String?
        try await Waiting.until("a mail is leased") {
            let address = "leasing-\(UUID().uuidString.prefix(8).lowercased())@example.com"
            _ = try await LoginPage(at: origin, host: host, email: address)
            // The stack's own may be quicker to lease it: then another has to be asked for.
            let next = ContinuousClock.now + .seconds(2)
            while found == nil, ContinuousClock.now < next {
                for line in relay.recipients where found == nil {
                    let parts = line.split { "<>".contains($0) }.map(String.init)
                    guard let offered = parts.first(where: { $0.contains("@") }) else { continue }
                    if try await mails.isEmpty(for: offered) { found = offered }
                }
                try await Task.sleep(for: .milliseconds(20))
            }
            return found != nil
        }
        return try #require(found)
    }

    private static func ready(_ admin: Browser) async throws -> Int {
        var admin = admin
        return try await admin.send("GET", "/readyz", isRepeated: false).status
    }

    /// Requests of clients that are held.
    private static func waiting(_ admin: Browser) async throws -> Int {
        try await admin.gauge("chancery_http_held{listener=\"public\"}")
    }
}
