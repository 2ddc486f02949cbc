import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// An end that is committed is an end, whatever becomes of what follows from it.
@Suite("Ends whose second half must wait, or comes again") struct UnfinishedEndTests {
    @Test(
        "a revocation is answered, though what its session let in cannot be read",
        arguments: 1...2
    )
    func revocation(_ times: Int) async throws {
        let web = try await CascadeTests.cascading()
        let owner = try await CascadeTests.Holder(web, web.side.code())
        let guest = try await owner.letIn("other")
        try web.side.store.spoil(guest.session().stream)
        for _ in 0..<times {
            let answer = try await web.post(
                "/oauth2/revoke",
                "token=\(owner.refreshToken)&client_id=app"
            )
            #expect(answer.status == 200 && answer.body.isEmpty, "\(answer.body)")
        }
        #expect(try await !owner.isOpen())
    }

    @Test("signing out is done twice also where an app's view lies behind the session")
    func settings() async throws {
        let web = try await WebSide()
        let view = try await SettingsSide.openedByApp(web).0.cookie
        var side = SettingsSide(web)
        side.cookie += "; \(view)"
        let own = SessionID(web.side.browserCookie.stream).description
        let form = try #require(try await side.forms()[own])
        let first = try await side.post(form)
        #expect(first.status == 303, "\(first.body)")
        let commits = web.commits
        let second = try await side.post(form)
        #expect(second.status == 303, "\(second.body)")
        #expect(second.field("Location") == first.field("Location"))
        #expect(second.field("Set-Cookie") == first.field("Set-Cookie"))
        #expect(web.commits == commits)
    }

    @Test("a node that has not read its projects says so, and not that one is absent")
    func unread() async throws {
        let admin = try await AdminSide()
        let target = "/admin/v1/keys?project="
        #expect(try await admin.send(.get, target + "nobody").status == 404)
        admin.side.projects.forget()
        for name in ["nobody", admin.side.project.settings.id.text, ""] {
            let answer = try await admin.send(.get, target + name)
            #expect(answer.status == 503, "\(answer.body)")
        }
        #expect(try await admin.send(.get, "/admin/v1/projects").status == 503)
        let tag = #""\#(Hexadecimal.text(admin.side.project.digest.bytes))""#
        for (query, headers) in [("check=true", []), ("reason=x", [("if-match", tag)])] {
            let answer = try await admin.send(
                .put,
                "/admin/v1/project?\(query)",
                headers: headers.map { (name: $0.0, value: $0.1) }
                    + [(name: "content-type", value: "application/yaml")],
                body: "id: bank"
            )
            #expect(answer.status == 503, "\(answer.body)")
        }
    }
}
