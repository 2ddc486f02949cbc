import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// What the person on duty sees of a user's sessions (WireContract 13.3).
@Suite("The operator's list of sessions") struct AdminSessionsTests {
    private let admin: AdminSide
    private var side: TokenSide { admin.side }

    init() async throws { admin = try await AdminSide() }

    /// Page by page until there is no next one, 9 pages at most.
    private func all(_ more: String = "") async throws -> [[JSON]] {
        var pages: [[JSON]] = []
        var cursor = ""
        while pages.count < 9 {
            let target = "/admin/v1/sessions?subject=\(side.subject)\(more)\(cursor)"
            let answer = try await admin.send(.get, target)
            pages.append(try #require(answer.result?["sessions"]?.array, "\(answer.body)"))
            guard let next = answer.result?["next"]?.string else { return pages }
            cursor = "&cursor=\(next)"
        }
        Issue.record("there is always a next page")
        return pages
    }

    private func statuses() async throws -> [String: String] {
        let entries = try await all().flatMap { $0 }
        for entry in entries {
            let sid = try #require(entry["sid"]?.string)
            let one = try await admin.send(.get, "/admin/v1/sessions/\(sid)")
            #expect(one.result?["session"] == entry)
        }
        let pairs = entries.map { ($0["sid"]?.string ?? "", $0["status"]?.string ?? "") }
        return Dictionary(pairs) { first, _ in first }
    }

    @Test("has all there ever were, on as many pages as it takes, the newest first")
    func pages() async throws {
        for _ in 0..<60 { _ = try await side.redeem(side.code()) }
        let pages = try await all()
        #expect(pages.map(\.count) == [50, 11])
        let sids = pages.flatMap { $0 }.compactMap { $0["sid"]?.string }
        #expect(Set(sids).count == 61)
        #expect(sids.last == side.browser.description)
    }

    @Test("shows of a session what its user sees, and whose it is and how it stands")
    func members() async throws {
        let web = try await WebSide()
        let session = try await SessionAPITests.session(web)
        let sid = try SessionAPITests.sid(of: session, web)
        let path = "\(SessionAPITests.path)/\(sid)"
        let own = try await SessionAPITests.send(web, .get, session, path)
        let seen = try #require(own["result"]?["session"]?.members, "\(own.body)")
        let answer = try await AdminSide(on: web.side).send(.get, "/admin/v1/sessions/\(sid)")
        let shown = try #require(answer.result?["session"]?.members, "\(answer.body)")
        #expect(seen.contains { $0.name == "device_group" })
        let more = ["status", "sub", "project"]
        #expect(
            shown.filter { !more.contains($0.name) } == seen.filter { $0.name != "is_current" }
        )
        #expect(shown.map(\.name).filter(more.contains) == more)
        #expect(answer.result?["session"]?["project"] == "bank")
    }

    @Test("finds a client's session behind any number of others'") func filter() async throws {
        _ = try await side.redeem(side.code(for: "other"), by: "other")
        for _ in 0..<60 { _ = try await side.redeem(side.code()) }
        let found = try await all("&client=other").flatMap { $0 }
        #expect(found.map { $0["client_ids"] } == [["other"]])
    }

    @Test("calls nothing live that rests on what has ended") func foundations() async throws {
        _ = try await side.redeem(side.code(browser: side.browser))
        _ = try await side.redeem(side.code())
        #expect(try await Set(statuses().values) == ["live"])
        try await side.run(BrowserSession.self, side.browser.stream) { .end(.logout) }
        let after = try await statuses()
        #expect(after.values.sorted() == ["ended", "ended", "live"])
        #expect(after[side.browser.description] == "ended")
    }

    @Test("calls nothing live of a user that is disabled") func disabled() async throws {
        _ = try await side.redeem(side.code())
        try await side.run(Subject.self, side.subject.stream) { .disable(.operator) }
        #expect(try await Set(statuses().values) == ["ended"])
    }

    @Test("calls nothing live of a client that was removed, also when it is back")
    func removed() async throws {
        _ = try await side.redeem(side.code())
        _ = try await side.redeem(side.code(for: "other"), by: "other")
        var settings = side.project.settings
        settings.clients.removeAll { $0.id.text == "app" }
        try await side.apply(settings)
        #expect(try await statuses().values.sorted() == ["ended", "live", "live"])
        side.clock.advance(seconds: 1)
        try await side.apply(side.project.settings)
        #expect(try await statuses().values.sorted() == ["ended", "live", "live"])
        settings = side.project.settings
        for index in settings.clients.indices { settings.clients[index].enabled = false }
        try await side.apply(settings)
        // Disabled is not removed: they wait, and their user may end them.
        #expect(try await statuses().values.sorted() == ["ended", "live", "live"])
    }
}
