import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// A user with many sessions, old ones and new ones, sees and ends all that live (wire.md 9.5).
@Suite("Many sessions of a user") struct SessionPagesTests {
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
}
