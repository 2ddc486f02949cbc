import Foundation
import TestSupport
import Testing

/// SIGTERM, through the wire (architecture.md section 10).
@Suite("The end of a token-issuer") struct EndingTests {
    @Test("gives notice, answers who waits, and returns 0") func sigterm() async throws {
        let stack = try RunningStack.running()
        let issuer = try await IssuerProcess(
            beside: stack,
            named: "ending",
            ["CHANCERY__NODE__SHUTDOWN_NOTICE_SECONDS": "2"]
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
        while try await Self.running(admin) < 2 { try await Task.sleep(for: .milliseconds(20)) }
        let told = ContinuousClock.now
        issuer.signal(SIGTERM)
        while try await Self.ready(admin) == 200 { try await Task.sleep(for: .milliseconds(20)) }
        #expect(ContinuousClock.now - told < .seconds(1))
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
        #expect(took > .milliseconds(1_900) && took < .seconds(8), "\(took)")
        #expect(issuer.end() == 0)
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
        var ended = false
        defer {
            if !ended {
                issuer.signal(SIGKILL)
                _ = issuer.end()
            }
        }
        let host = try #require(stack.issuer.components(separatedBy: "://").last)
        var address = ""
        // The stack's own token-issuer may be quicker to lease one; it is not ours then.
        while relay.connectionCount == 0 {
            address = "leasing-\(UUID().uuidString.prefix(8))@example.com"
            _ = try await LoginPage(at: issuer.origin, host: host, email: address)
            let asked = ContinuousClock.now
            while relay.connectionCount == 0, ContinuousClock.now - asked < .seconds(3) {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        let leased = ContinuousClock.now
        issuer.signal(SIGTERM)
        let mails = MailBox(page: try #require(stack.facts["MAIL_PAGE"]))
        _ = try await mails.newestLink(to: address)
        // Well before the lease of 30 s is over.
        #expect(ContinuousClock.now - leased < .seconds(20))
        ended = true
        #expect(issuer.end() == 0)
    }

    @Test("of a projector: gives notice, answers who waits at the feed, and returns 0")
    func projector() async throws {
        let stack = try RunningStack.running()
        let projector = try await IssuerProcess(
            "revocation-projector",
            beside: stack,
            named: "ending-feed",
            ["CHANCERY__NODE__SHUTDOWN_NOTICE_SECONDS": "2"]
        )
        let reader = try await FeedReader(stack, at: projector.origin)
        let admin = Browser(projector.adminOrigin)
        while try await reader.get("limit=1").status != 200 {
            try await Task.sleep(for: .milliseconds(20))
        }
        // What other tests revoke ends a wait, too; nothing but the end answers without an item.
        let waiting = Task {
            var cursor = try await reader.end()
            var answer = try await reader.get("after=\(cursor)&wait=25")
            while try !FeedReader.sessions(in: answer).isEmpty {
                cursor = answer.member("next") ?? cursor
                // It may have come in the last moment.
                guard let next = try? await reader.get("after=\(cursor)&wait=25") else { break }
                answer = next
            }
            return answer
        }
        while try await Self.waiting(admin) == 0 { try await Task.sleep(for: .milliseconds(20)) }
        let told = ContinuousClock.now
        projector.signal(SIGTERM)
        while try await Self.ready(admin) == 200 { try await Task.sleep(for: .milliseconds(20)) }
        // During the notice everything still works.
        #expect(try await reader.get("limit=1").status == 200)
        let answer = try await waiting.value
        let took = ContinuousClock.now - told
        #expect(answer.status == 200 && answer.member("next") != nil, "\(answer.text)")
        // Not before the notice is over, and far before its wait is.
        #expect(took > .milliseconds(1_900) && took < .seconds(15), "\(took)")
        #expect(projector.end() == 0)
    }

    private static func ready(_ admin: Browser) async throws -> Int {
        var admin = admin
        return try await admin.send("GET", "/readyz").status
    }

    /// Requests being answered, this question among them.
    private static func running(_ admin: Browser) async throws -> Int {
        try await gauge("chancery_http_running ", admin)
    }

    /// Requests of clients being answered.
    private static func waiting(_ admin: Browser) async throws -> Int {
        try await gauge("chancery_http_running{listener=\"public\"} ", admin)
    }

    private static func gauge(_ name: String, _ admin: Browser) async throws -> Int {
        var admin = admin
        let text = try await admin.send("GET", "/metrics").text
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return line.flatMap { $0.split(separator: " ").last }.flatMap { Double($0) }.map { Int($0) }
            ?? 0
    }
}
