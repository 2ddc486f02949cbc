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

    @Test(
        "disabling a user is answered by its commit, and says what it leaves of their sessions",
        arguments: ["unreadable", "waiting"]
    )
    func disabling(_ left: String) async throws {
        let admin = try await AdminSide()
        let side = admin.side
        let lost = try await side.redeem(side.code())
        let other = try await side.redeem(side.code())
        if left == "unreadable" {
            try side.store.spoil(Self.session(of: lost, side))
        } else {
            side.store.fail(.taken, .unavailable)
        }
        let disabled = try await Self.order("disable", admin)
        #expect(disabled.status == 200, "\(disabled.body)")
        #expect(disabled.body == #"{"result":{"left":"\#(left)"}}"#)
        #expect(try await !side.isActive(other.accessToken?.text))
        let isRecorded =
            try side.store.events(of: Self.session(of: other, side)).last
            == .offlineGrant(.revoked(.subjectDisabled))
        #expect(isRecorded == (left == "unreadable"))
        // What nobody can end is no reason to keep its user out; what waits is ended first.
        side.clock.advance(seconds: 1)
        let enabled = try await Self.order("enable", admin)
        #expect(enabled.status == 200, "\(enabled.body)")
        #expect(enabled.body.contains("unreadable") == (left == "unreadable"))
        #expect(try await !side.isActive(other.accessToken?.text))
        #expect(try await side.redeem(side.code()).accessToken != nil)
    }

    private static func order(_ verb: String, _ admin: AdminSide) async throws -> Answer {
        try await admin.send(
            .post,
            "/admin/v1/subjects/\(admin.side.subject)/\(verb)",
            as: .operate,
            body: #"{"reason":"fraud"}"#
        )
    }

    private static func session(of tokens: TokenResponse, _ side: TokenSide) throws -> StreamID {
        let token = RefreshToken(reading: tokens.refreshToken ?? [], digester: side.digester)
        return try #require(token).session.stream
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
