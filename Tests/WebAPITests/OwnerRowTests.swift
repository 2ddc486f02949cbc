import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Sessions that let each other in, each ending with the one before (decision 0086).
@Suite("Rows of sessions") struct OwnerRowTests {
    /// The first one logged in through the browser; each lets the next one in.
    private static func row(_ count: Int, _ web: WebSide) async throws -> [CascadeTests.Holder] {
        let code = try await web.side.code(browser: web.side.browser)
        var row = [try await CascadeTests.Holder(web, code)]
        for number in 0..<count {
            guard let last = row.last else { break }
            row.append(try await last.letIn(number == 0 ? "other" : "app-\(number)"))
        }
        return row
    }

    @Test("four above one are alive, and the fifth is refused before it has a code") func bound()
        async throws
    {
        let web = try await CascadeTests.cascading()
        let row = try await Self.row(OfflineGrant.ownersMax, web)
        for holder in row { #expect(try await holder.refresh().status == 200) }
        let last = try #require(row.last)
        let before = web.commits
        let refused = try await last.ask("app-5")
        #expect(refused.status == 400 && refused.error == "unauthorized_client")
        #expect(refused.refusal?.id == "AP-008")
        #expect(web.commits == before)
    }

    @Test("attack: an app lets itself in by way of others", arguments: [true, false])
    func circle(_ cascades: Bool) async throws {
        let web = try await CascadeTests.cascading(cascades)
        let last = try #require(try await Self.row(2, web).last)
        for above in ["app", "other", "app-1"] {
            let refused = try await web.expectNothingRecorded { try await last.ask(above) }
            #expect(refused.error == "unauthorized_client" && refused.refusal?.id == "AP-003")
        }
        #expect(try await last.ask("app-2").status == 200)
    }

    @Test("a longer one, of apps that began to cascade later, is dead, and no list shows it")
    func later() async throws {
        let web = try await CascadeTests.cascading()
        var settings = try #require(web.side.projects.all.first).settings
        let cascading = settings
        CascadeTests.cascade(false, in: &settings)
        try await web.side.apply(settings)
        let row = try await Self.row(OfflineGrant.ownersMax + 1, web)
        let last = try #require(row.last)
        let sid = try last.session()
        let sessions = UserSessions(commands: web.side.commands, sealer: web.side.sealer)
        func isListed(_ id: SessionID) async throws -> Bool {
            let project = try #require(web.side.projects.project(id: settings.id))
            return try await sessions.entry(
                id,
                of: web.side.subject,
                in: project,
                by: Fixture.noDeadline
            ) != nil
        }
        #expect(try await isListed(sid))
        var changed = cascading
        CascadeTests.cascade(true, in: &changed)
        try await web.side.apply(changed)
        #expect(try await !isListed(sid))
        #expect(try await last.refresh().error == "invalid_grant")
        let owner = row[OfflineGrant.ownersMax]
        #expect(try await isListed(owner.session()))
        #expect(try await owner.refresh().status == 200)
    }
}
