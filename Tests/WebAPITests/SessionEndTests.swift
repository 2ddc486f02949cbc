import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// What ends with a session that its user ends, however often, and whatever happens meanwhile
/// (WireContract 9.5 and 9.7).
@Suite("A user ends sessions") struct SessionEndTests {
    /// An app's session that was opened from the browser's.
    static func joined(_ web: WebSide) async throws -> Answer {
        let code = try await web.side.code(browser: web.side.browser)
        return try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
    }

    /// Of the sessions that came from the browser's, those the log calls open.
    static func openJoined(_ web: WebSide) async throws -> Int {
        let browser = try await web.side.store.load(
            BrowserSession.self,
            web.side.browser.stream,
            by: Fixture.noDeadline
        )
        guard case .ended(let session, _) = browser.state else { return -1 }
        #expect(!session.value.joined.isEmpty)
        var open = 0
        for joined in session.value.joined {
            let grant = try await web.side.store.load(
                OfflineGrant.self,
                joined.grant.stream,
                by: Fixture.noDeadline
            )
            if case .open = grant.state { open += 1 }
        }
        return open
    }

    @Test("a session that joins while its browser's is being ended is ended with it")
    func joinsMeanwhile() async throws {
        let web = try await WebSide()
        let mine = try await SessionAPITests.session(web)
        let code = try await web.side.code(browser: web.side.browser)
        web.side.store.beforeNextAppend {
            let redeemed = try? await DeviceKeyTests.redeem(web, code: code, jwt: nil)
            #expect(redeemed?.status == 200)
        }
        let target = "\(SessionAPITests.path)/\(web.side.browser.description)"
        #expect(try await SessionAPITests.send(web, .delete, mine, target).status == 200)
        #expect(try await Self.openJoined(web) == 0)
    }

    @Test("what a failure left of a browser's session, the repeated request ends")
    func finishesBrowser() async throws {
        let web = try await WebSide()
        let mine = try await SessionAPITests.session(web)
        for _ in 0..<2 { #expect(try await Self.joined(web).status == 200) }
        let target = "\(SessionAPITests.path)/\(web.side.browser.description)"
        web.side.store.fail(.taken, .taken, .unavailable)
        #expect(try await SessionAPITests.send(web, .delete, mine, target).status == 200)
        #expect(try await Self.openJoined(web) == 1)
        #expect(try await SessionAPITests.send(web, .delete, mine, target).status == 404)
        #expect(try await Self.openJoined(web) == 0)
    }

    @Test("also when the answer was lost after the first commit") func answerLost() async throws {
        let web = try await WebSide()
        let mine = try await SessionAPITests.session(web)
        #expect(try await Self.joined(web).status == 200)
        let target = "\(SessionAPITests.path)/\(web.side.browser.description)"
        web.side.store.fail(.answerLost)
        #expect(try await SessionAPITests.send(web, .delete, mine, target).status == 503)
        #expect(try await SessionAPITests.send(web, .delete, mine, target).status == 404)
        #expect(try await Self.openJoined(web) == 0)
    }

    @Test("more sessions than a browser's keeps in mind end with it") func many() async throws {
        let web = try await WebSide()
        let mine = try await SessionAPITests.session(web)
        let first = try await Self.joined(web)
        for number in 0..<BrowserSession.joinedMax {
            let other = SessionID(Sample.stream(UInt64(0x1000 + number)))
            let app = try Fixture.some(ClientID("app"))
            try await web.side.run(BrowserSession.self, web.side.browser.stream) {
                .join(.init(client: app, grant: other))
            }
        }
        let target = "\(SessionAPITests.path)/\(web.side.browser.description)"
        #expect(try await SessionAPITests.send(web, .delete, mine, target).status == 200)
        let grant = try await web.side.store.load(
            OfflineGrant.self,
            SessionAPITests.sid(of: first, web).stream,
            by: Fixture.noDeadline
        )
        guard case .revoked(_, .logout) = grant.state else {
            Issue.record("still open in the log")
            return
        }
    }

    @Test("a session that has expired is none: a DELETE writes nothing") func expired()
        async throws
    {
        let web = try await WebSide()
        let other = try await SessionAPITests.session(web, scope: "openid email")
        let sid = try SessionAPITests.sid(of: other, web)
        web.side.clock.advance(seconds: 3600)
        let mine = try await SessionAPITests.session(web)
        let before = web.commits
        let target = "\(SessionAPITests.path)/\(sid.description)"
        #expect(try await SessionAPITests.send(web, .delete, mine, target).status == 404)
        #expect(web.commits == before)
    }
}
