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

    private static func ready(_ admin: Browser) async throws -> Int {
        var admin = admin
        return try await admin.send("GET", "/readyz").status
    }

    /// Requests being answered, this question among them.
    private static func running(_ admin: Browser) async throws -> Int {
        var admin = admin
        let text = try await admin.send("GET", "/metrics").text
        let line = text.split(separator: "\n").first { $0.hasPrefix("chancery_http_running ") }
        return line.flatMap { $0.split(separator: " ").last }.flatMap { Double($0) }.map { Int($0) }
            ?? 0
    }
}
