import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// A user with many sessions, old ones and new ones, sees and ends all that live
/// (WireContract 9.5).
@Suite("Many sessions of a user") struct SessionPagesTests {
    private static func sids(_ answer: Answer) throws -> [String] {
        try SessionAPITests.list(answer).compactMap { $0["sid"]?.string }
    }

    /// `count` sessions, each of which ends before the next one opens.
    private static func endedSessions(_ count: Int, _ web: WebSide) async throws {
        for _ in 0..<count {
            let session = try await SessionAPITests.session(web)
            try await web.side.run(
                OfflineGrant.self,
                SessionAPITests.sid(of: session, web).stream
            ) { .revoke(.superseded) }
        }
    }

    @Test("a live one behind hundreds of ended ones is listed, and ended with all others")
    func old() async throws {
        let web = try await WebSide()
        let old = try await SessionAPITests.session(web)
        try await Self.endedSessions(201, web)
        let mine = try await SessionAPITests.session(web)
        let list = try await SessionAPITests.send(web, .get, mine)
        #expect(try Self.sids(list).contains(SessionAPITests.sid(of: old, web).description))
        let path = "\(SessionAPITests.path)/revoke_others"
        let answer = try await SessionAPITests.send(web, .post, mine, path)
        // It, and the browser's.
        #expect(answer["result"]?["revoked"]?.integer == 2)
        #expect(try await !NativeSSOTests.isActive(web, old))
    }

    @Test("pages follow each other without gap or repeat, past a session that has ended since")
    func pages() async throws {
        let web = try await WebSide()
        for _ in 0..<(2 * SessionList.pageMax) { _ = try await SessionAPITests.session(web) }
        let mine = try await SessionAPITests.session(web)
        let first = try await SessionAPITests.send(web, .get, mine)
        #expect(try Self.sids(first).count == SessionList.pageMax)
        let next = try #require(first["result"]?["next"]?.string)
        #expect(try Self.sids(first).last == next)
        let last = try Fixture.some(SessionID(text: next.utf8))
        try await web.side.run(OfflineGrant.self, last.stream) { .revoke(.logout) }
        let path = SessionAPITests.path
        let second = try await SessionAPITests.send(web, .get, mine, "\(path)?cursor=\(next)")
        #expect(try Self.sids(second).count == SessionList.pageMax)
        let more = try #require(second["result"]?["next"]?.string)
        let third = try await SessionAPITests.send(web, .get, mine, "\(path)?cursor=\(more)")
        #expect(third["result"]?["next"] == .null)
        let all = try Self.sids(first) + Self.sids(second) + Self.sids(third)
        // A hundred, the caller's and the browser's.
        #expect(all.count == 102)
        #expect(Set(all).count == all.count)
    }

    @Test("the list ends with a page that is just full") func fullPage() async throws {
        let web = try await WebSide()
        for _ in 0..<(SessionList.pageMax - 2) { _ = try await SessionAPITests.session(web) }
        let mine = try await SessionAPITests.session(web)
        let answer = try await SessionAPITests.send(web, .get, mine)
        #expect(try Self.sids(answer).count == SessionList.pageMax)
        #expect(answer["result"]?["next"] == .null)
    }

    @Test("a cursor that is no session of the user's has nothing behind it; two are no request")
    func cursors() async throws {
        let web = try await WebSide()
        let mine = try await SessionAPITests.session(web)
        let path = SessionAPITests.path
        let guess = Sample.session(7).description
        let none = try await SessionAPITests.send(web, .get, mine, "\(path)?cursor=\(guess)")
        #expect(none.body == #"{"result":{"sessions":[],"next":null}}"#)
        let twice = "\(path)?cursor=\(guess)&cursor=\(guess)"
        #expect(try await SessionAPITests.send(web, .get, mine, twice).status == 400)
    }

    @Test("a session that opens while all others are being ended is ended, too") func meanwhile()
        async throws
    {
        let web = try await WebSide()
        let mine = try await SessionAPITests.session(web)
        let code = try await web.side.code(browser: web.side.browser)
        let other = try await SessionAPITests.session(web)
        web.side.store.beforeNextAppend {
            let redeemed = try? await DeviceKeyTests.redeem(web, code: code, jwt: nil)
            #expect(redeemed?.status == 200)
        }
        let path = "\(SessionAPITests.path)/revoke_others"
        let answer = try await SessionAPITests.send(web, .post, mine, path)
        #expect(answer["result"]?["revoked"]?.integer == 3)
        #expect(try await !NativeSSOTests.isActive(web, other))
        #expect(try Self.sids(try await SessionAPITests.send(web, .get, mine)).count == 1)
        #expect(try await SessionEndTests.openJoined(web) == 0)
    }

    @Test("neither a list nor a look at one reads what happened in a session") func reads()
        async throws
    {
        let web = try await WebSide()
        let mine = try await SessionAPITests.session(web)
        let sid = try SessionAPITests.sid(of: mine, web).description
        let browser = web.side.browser.description
        for target in ["", "/\(sid)", "/\(browser)"] {
            let path = "\(SessionAPITests.path)\(target)"
            #expect(try await SessionAPITests.send(web, .get, mine, path).status == 200)
        }
        let subject = "\(SessionAPITests.path)/\(web.side.subject)"
        #expect(try await SessionAPITests.send(web, .get, mine, subject).status == 404)
        let end = try await SessionAPITests.send(
            web,
            .post,
            mine,
            "\(SessionAPITests.path)/revoke_others"
        )
        #expect(end.status == 200)
        #expect(web.side.store.historiesRead == 0)
    }

    @Test("another project sees and ends none of them") func neighbour() async throws {
        let web = try await WebSide()
        let sid = try await SessionAPITests.sid(of: SessionAPITests.session(web), web)
        var settings = web.side.project.settings
        settings.id = try Fixture.some(ProjectID("neighbour"))
        let there = Project(
            number: try Fixture.some(ProjectNumber(2)),
            settings: settings,
            digest: web.side.project.digest,
            configuration: web.side.project.configuration,
            keys: SigningKeyRing.State(),
            keysStream: Sample.stream(0x77),
            keysVersion: 0
        )
        let sessions = UserSessions(commands: web.side.commands, sealer: web.side.sealer)
        let request = CommandRequest(
            project: there,
            attributes: EventAttributes(actor: .subject(web.side.subject)),
            deadline: Fixture.noDeadline
        )
        let before = web.commits
        for id in [sid, web.side.browser] {
            let seen = try await sessions.entry(
                id,
                of: web.side.subject,
                in: there,
                by: Fixture.noDeadline
            )
            #expect(seen == nil)
            #expect(try await !sessions.end(id, of: web.side.subject, request: request))
        }
        #expect(web.commits == before)
    }

    @Test("a list opens its user's key once, however many phones have a name") func key()
        async throws
    {
        let web = try await WebSide()
        for _ in 0..<3 { _ = try await DeviceNameTests.session(web, DeviceNameTests.pixel) }
        let mine = try await DeviceNameTests.session(web, DeviceNameTests.pixel)
        let before = web.side.sealer.lookUps
        let list = try await SessionAPITests.list(SessionAPITests.send(web, .get, mine))
        #expect(list.compactMap { $0["device"]?.string }.count == 4)
        #expect(web.side.sealer.lookUps - before == 1)
    }

    @Test("a session whose browser's has ended is not shown, although nothing is recorded of it")
    func deadBase() async throws {
        let web = try await WebSide()
        let mine = try await SessionAPITests.session(web)
        let joined = try await SessionEndTests.joined(web)
        try await web.side.run(BrowserSession.self, web.side.browser.stream) { .end(.logout) }
        #expect(try await !NativeSSOTests.isActive(web, joined))
        #expect(try Self.sids(try await SessionAPITests.send(web, .get, mine)).count == 1)
        let sid = try SessionAPITests.sid(of: joined, web).description
        let one = try await SessionAPITests.send(web, .get, mine, "\(SessionAPITests.path)/\(sid)")
        #expect(one.status == 404)
    }

    @Test("a browser's session names each app once") func apps() async throws {
        let web = try await WebSide()
        let mine = try await SessionAPITests.session(web)
        for _ in 0..<2 { #expect(try await SessionEndTests.joined(web).status == 200) }
        let list = try SessionAPITests.list(try await SessionAPITests.send(web, .get, mine))
        let browser = try #require(list.first { $0["type"] == "browser" })
        #expect(browser["client_ids"]?.array == ["app"])
    }
}
