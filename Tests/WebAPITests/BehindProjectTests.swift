import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// The document in force cannot be read here, and the node serves the one before (decisions 0124
/// and 0156).
@Suite("A node whose settings are behind their document") struct BehindProjectTests {
    private typealias Ask = () async throws -> Answer

    /// Without `client` from now on, which the document has.
    static func lose(_ client: String, _ web: WebSide) async throws {
        let now = try #require(web.side.projects.project(id: web.side.project.settings.id)).settings
        var old = now
        old.clients.removeAll { $0.id.text == client }
        try await web.side.apply(now, serving: old)
    }

    static func introspect(_ token: String, _ web: WebSide) async throws -> Answer {
        let basic: KeyValuePairs = ["authorization": "Basic YXBpOmEtc2VjcmV0"]
        return try await web.post("/oauth2/introspect", "token=\(token)", basic)
    }

    @Test("tells a client that it may only lack to try again, wherever that asks") func unknown()
        async throws
    {
        let web = try await WebSide()
        let owner = try await CascadeTests.Holder(web, web.side.code())
        let asks: [(String, Ask)] = [
            ("refresh", { try await owner.refresh() }),
            (
                "userinfo",
                {
                    let headers: KeyValuePairs = ["authorization": "Bearer \(owner.accessToken)"]
                    return try await web.send(.get, "/oauth2/userinfo", headers: headers)
                }
            ),
            ("introspect", { try await Self.introspect(owner.accessToken, web) }),
            ("app2app", { try await owner.ask("other") }),
            ("app_session_token", { try await AppSessionTokenTests.ask(web, owner.refreshToken) }),
            (
                "authorize",
                {
                    let form = PushedRequestTests.form()
                    return try await web.send(.get, "/oauth2/authorize?\(form)")
                }
            ),
            (
                "login link",
                {
                    let path = "/clients/app/flows/verify_login_link"
                    return try await web.send(.get, "\(path)?token=ll_x")
                }
            ),
            ("hosted app2app link", { try await App2AppLinkTests.open(web) }),
        ]
        try await Self.lose("app", web)
        for (name, ask) in asks {
            let answer = try await web.expectNothingRecorded(by: ask)
            #expect(answer.status == 503, "\(name): \(answer.body)")
            #expect(answer.field("Retry-After") == ["1"], "\(name)")
        }
        // A client that no document has is as unknown as ever.
        var old = web.side.project.settings
        old.clients.removeAll { $0.id.text == "app" }
        try await web.side.apply(old)
        for (name, ask) in asks where name != "introspect" {
            let answer = try await web.expectNothingRecorded(by: ask)
            #expect(400..<500 ~= answer.status, "\(name): \(answer.body)")
        }
        #expect(try await Self.introspect(owner.accessToken, web)["active"] == false)
    }

    @Test("says no last word of whom such a client let in, and records their end later")
    func guests() async throws {
        let web = try await CascadeTests.cascading()
        let owner = try await CascadeTests.Holder(web, web.side.code())
        let target = try await owner.letIn("other")
        try await Self.lose("app", web)
        let refreshed = try await web.expectNothingRecorded { try await target.refresh() }
        #expect(refreshed.word == "503 temporarily_unavailable")
        let said = try await Self.introspect(target.accessToken, web)
        #expect(said.word == "503 temporarily_unavailable")
        let revoked = try await web.post("/oauth2/revoke", "token=\(owner.refreshToken)")
        #expect(revoked.status == 200)
        #expect(try await !owner.isOpen())
        #expect(try await target.isOpen())
    }

    /// The setting was taken off, so that guests go on when their owner ends.
    static func stopCascading(_ web: WebSide, isHeard: Bool, isRead: Bool) async throws
        -> ProjectSettings
    {
        let old = try #require(web.side.projects.project(id: web.side.project.settings.id)).settings
        var new = old
        new.clients[0].app2app = .init(cascades: false)
        try await web.side.apply(new, isHeard: isHeard, serving: isRead ? nil : old)
        return new
    }

    @Test("says no last word of guests by a setting that may have been taken off")
    func takenOff() async throws {
        let web = try await CascadeTests.cascading()
        let owner = try await CascadeTests.Holder(web, web.side.code())
        let target = try await owner.letIn("other")
        let code = try await target.code(for: "app-1")
        func redeem() async throws -> Answer {
            try await DeviceKeyTests.redeem(web, code: code, jwt: nil, client: "app-1")
        }
        let new = try await Self.stopCascading(web, isHeard: true, isRead: false)
        let revoked = try await web.post("/oauth2/revoke", "token=\(owner.refreshToken)")
        #expect(revoked.status == 200)
        #expect(try await !owner.isOpen())
        #expect(try await target.isOpen())
        #expect(try await target.refresh().word == "503 temporarily_unavailable")
        let said = try await Self.introspect(target.accessToken, web)
        #expect(said.word == "503 temporarily_unavailable")
        let redeemed = try await web.expectNothingRecorded(by: redeem)
        #expect(redeemed.word == "503 temporarily_unavailable")
        try await web.side.apply(new)
        let again = try await web.post("/oauth2/revoke", "token=\(owner.refreshToken)")
        #expect(again.status == 200)
        #expect(try await target.refresh().status == 200)
        #expect(try await redeem().status == 200)
    }

    @Test("or asks the log, where it has only not heard of it yet") func unheard() async throws {
        for asksFirst in [true, false] {
            let web = try await CascadeTests.cascading()
            let owner = try await CascadeTests.Holder(web, web.side.code())
            let target = try await owner.letIn("other")
            if asksFirst {
                // The owner's end is recorded elsewhere, by the setting of now.
                let session = try owner.session()
                try await web.side.run(OfflineGrant.self, session.stream) {
                    .revoke(.tokenRevocation)
                }
            }
            _ = try await Self.stopCascading(web, isHeard: false, isRead: true)
            if !asksFirst {
                let revoked = try await web.post("/oauth2/revoke", "token=\(owner.refreshToken)")
                #expect(revoked.status == 200)
            }
            #expect(try await !owner.isOpen())
            #expect(try await target.refresh().status == 200)
        }
    }

    @Test("or asks the log, where only the browser that the owner rests on has ended")
    func unheardBeneath() async throws {
        for isCascading in [true, false] {
            let web = try await CascadeTests.cascading()
            let code = try await web.side.code(browser: web.side.browser)
            let target = try await CascadeTests.Holder(web, code).letIn("other")
            try await web.side.run(BrowserSession.self, web.side.browser.stream) { .end(.logout) }
            if !isCascading {
                _ = try await Self.stopCascading(web, isHeard: false, isRead: true)
            }
            let refreshed = try await target.refresh()
            let expected = isCascading ? "400 invalid_grant" : "200"
            #expect(refreshed.word == expected, "\(refreshed.body)")
        }
    }

    @Test("still says what has ended, and serves whom it knows") func known() async throws {
        let web = try await WebSide()
        let lost = try await CascadeTests.Holder(web, web.side.code())
        let other = try await web.side.redeem(web.side.code(for: "other"), by: "other")
        try await Self.lose("app", web)
        let revoked = try await web.post("/oauth2/revoke", "token=\(lost.refreshToken)")
        #expect(revoked.status == 200)
        #expect(try await !lost.isOpen())
        #expect(try await Self.introspect(lost.accessToken, web)["active"] == false)
        #expect(try await web.side.refresh(other.refreshToken, by: "other").accessToken != nil)
    }

    @Test("lists sessions that may go on, and none that is over") func lists() async throws {
        let web = try await CascadeTests.cascading()
        let owner = try await CascadeTests.Holder(web, web.side.code())
        let target = try await owner.letIn("other")
        let sessions = UserSessions(commands: web.side.commands, sealer: web.side.sealer)
        func isListed(_ holder: CascadeTests.Holder) async throws -> Bool {
            let project = try #require(web.side.projects.all.first)
            let (id, user) = (try holder.session(), web.side.subject)
            let by = Fixture.noDeadline
            return try await sessions.entry(id, of: user, in: project, by: by) != nil
        }
        let cascading = try #require(web.side.projects.all.first).settings
        _ = try await Self.stopCascading(web, isHeard: true, isRead: false)
        try await web.side.run(OfflineGrant.self, owner.session().stream) { .revoke(.logout) }
        #expect(try await isListed(target))
        #expect(try await !isListed(owner))
        // It was not taken off after all.
        try await web.side.apply(cascading)
        #expect(try await !isListed(target))
        let alone = try await CascadeTests.Holder(web, web.side.code(for: "other"), client: "other")
        try await Self.lose("other", web)
        #expect(try await isListed(alone))
    }

    @Test("redeems no code of a session whose client it lacks, and says nothing final of it")
    func code() async throws {
        let web = try await WebSide()
        let owner = try await CascadeTests.Holder(web, web.side.code())
        let code = try await owner.code(for: "other")
        func redeem() async throws -> Answer {
            try await DeviceKeyTests.redeem(web, code: code, jwt: nil, client: "other")
        }
        try await Self.lose("app", web)
        let early = try await web.expectNothingRecorded(by: redeem)
        #expect(early.word == "503 temporarily_unavailable")
        try await web.side.apply(web.side.project.settings)
        #expect(try await redeem().status == 200)
    }

    @Test("says nothing final at a hosted link to a target that it may only lack")
    func hostedLink() async throws {
        let web = try await App2AppLinkTests.side()
        let settings = try #require(web.side.projects.all.first).settings
        func open() async throws -> Answer { try await App2AppLinkTests.open(web) }
        try await Self.lose("other", web)
        let early = try await web.expectNothingRecorded(by: open)
        #expect(early.status == 503 && early.pageError == "temporarily_unavailable")
        try await web.side.apply(settings)
        #expect(try await open().status == 303)
    }

    @Test("opens no URL of an app or a site that it lacks, and uses none up") func url()
        async throws
    {
        let web = try await WebSide()
        let session = try await PreAuthenticatedURLTests.session(web)
        let exchanged = try await PreAuthenticatedURLTests.exchange(web, session)
        let settings = web.side.project.settings
        for client in ["app", "offers"] {
            try await Self.lose(client, web)
            let early = try await web.expectNothingRecorded {
                try await PreAuthenticatedURLTests.open(web, exchanged)
            }
            #expect(early.word.contains("temporarily_unavailable"), "\(client): \(early.word)")
            #expect(early.field("Set-Cookie").isEmpty)
            try await web.side.apply(settings)
        }
        let opened = try await PreAuthenticatedURLTests.open(web, exchanged)
        #expect(opened.status == 303 && !opened.field("Set-Cookie").isEmpty)
    }
}
