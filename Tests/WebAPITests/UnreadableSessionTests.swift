import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Lists have what can be read, and orders go on with it (WireContract 9.5 and 13.3, decision
/// 0219).
@Suite("A session that cannot be read") struct UnreadableSessionTests {
    private let web: WebSide
    private let admin: AdminSide
    private var side: TokenSide { web.side }
    private var list: String { "/admin/v1/sessions?subject=\(side.subject)" }

    init() async throws {
        web = try await WebSide()
        admin = try await AdminSide(on: web.side)
    }

    private func sids(_ answer: Answer) throws -> [String] {
        let list = try #require(answer.result?["sessions"]?.array, "\(answer.body)")
        return list.compactMap { $0["sid"]?.string }
    }

    private func end(_ sid: SessionID) async throws -> Answer {
        let body = #"{"reason":"called at noon"}"#
        return try await admin.send(.post, "/admin/v1/sessions/\(sid)/end", body: body)
    }

    @Test("hides no other, from its user or from operators, and is counted") func hidesNoOther()
        async throws
    {
        let lost = try SessionAPITests.sid(of: try await SessionAPITests.session(web), web)
        let mine = try await SessionAPITests.session(web)
        let sid = try SessionAPITests.sid(of: mine, web)
        side.store.spoil(lost.stream)
        let left = [sid.description, side.browser.description]
        let own = try await SessionAPITests.send(web, .get, mine)
        let seen = try await admin.send(.get, list)
        for answer in [own, seen] {
            #expect(try sids(answer) == left)
            #expect(answer.result?["unreadable"]?.integer == 1, "\(answer.body)")
        }
        let page = try await SettingsSide(web).get()
        #expect(page.status == 200)
        #expect(page.body.contains("Not every session can be shown now."), "\(page.body)")
        #expect(page.body.contains("Sign out everywhere else"))
        // It refuses its own requests, and no others.
        #expect(try await end(lost).status == 500)
        #expect(try await end(sid).body == #"{"result":{"was":"live"}}"#)
    }

    @Test("is counted on one page alone") func pages() async throws {
        let lost = try SessionAPITests.sid(of: try await SessionAPITests.session(web), web)
        for _ in 0..<SessionList.pageMax { _ = try await SessionAPITests.session(web) }
        side.store.spoil(lost.stream)
        let first = try await admin.send(.get, list)
        #expect(try sids(first).count == SessionList.pageMax)
        let next = try #require(first.result?["next"]?.string, "\(first.body)")
        let second = try await admin.send(.get, "\(list)&cursor=\(next)")
        #expect(try sids(second) == [side.browser.description])
        let counts = [first, second].map { $0.result?["unreadable"]?.integer ?? 0 }
        #expect(counts.reduce(0, +) == 1)
    }

    /// What a session of an app rests on.
    enum Stone: CaseIterable { case browser, user }

    @Test(
        "what rests on it is shown, lets nobody in, and can be ended",
        arguments: Stone.allCases
    )
    func foundation(_ damaged: Stone) async throws {
        let tokens = try await side.redeem(side.code(browser: side.browser))
        let all = try sids(try await admin.send(.get, list))
        let sid = try #require(all.first { $0 != side.browser.description })
        let id = try Fixture.some(SessionID(text: sid.utf8))
        side.store.spoil(damaged == .browser ? side.browser.stream : side.subject.stream)
        let one = try await admin.send(.get, "/admin/v1/sessions/\(sid)")
        #expect(one.result?["session"]?["status"] == "live", "\(one.body)")
        if damaged == .browser {
            let seen = try await admin.send(.get, list)
            #expect(try sids(seen) == [sid])
            #expect(seen.result?["unreadable"]?.integer == 1, "\(seen.body)")
        }
        let token = String(decoding: try #require(tokens.refreshToken), as: UTF8.self)
        #expect(try await DPoPTests.refresh(web, token).status == 503)
        #expect(try await end(id).body == #"{"result":{"was":"live"}}"#)
        #expect(side.store.events(of: id.stream).last == .offlineGrant(.revoked(.operator)))
    }
}
