import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import Runtime
import TestSupport
import Testing
import WebAPI

/// What a project does while an operator has suspended it, and afterwards (decision 0201).
@Suite("A suspended project") struct SuspendedProjectTests {
    private static let service: KeyValuePairs = ["authorization": "Basic YXBpOmEtc2VjcmV0"]
    private static let refused = "403 unauthorized_client"

    private static func routes(_ web: WebSide) -> [any Route] {
        Routes.tokenSide(web.services) + Routes.signIn(web.pages)
            + Routes.aheadOfBrowsers(
                web.pages,
                clients: web.services.clients,
                grants: web.side.grants
            )
    }

    private static func isActive(_ web: WebSide, _ token: String) async throws -> Bool {
        let answer = try await web.post("/oauth2/introspect", "token=\(token)", service)
        #expect(answer.status == 200, "\(answer.body)")
        return answer["active"] == true
    }

    @Test("answers where something ends or is only told, and says elsewhere that it is suspended")
    func everyRoute() async throws {
        let web = try await WebSide()
        let routes = Self.routes(web)
        let open = routes.filter { type(of: $0).outlivesSuspension }.map { "\(type(of: $0))" }
        #expect(
            Set(open) == [
                "DiscoveryRoute", "JWKSRoute", "AppleLinkFileRoute", "AndroidLinkFileRoute",
                "AssetRoute", "RevocationRoute", "IntrospectionRoute", "EndSessionRoute",
                "LogoutRoute", "SettingsRoute", "SettingsElsewhereRoute",
            ]
        )
        try await web.side.suspend()
        let commits = web.commits
        for route in routes {
            for path in type(of: route).paths {
                for method in type(of: route).methods {
                    let answer = try await web.send(method, path)
                    let isTold = answer.body.contains("project is suspended: try again later")
                    let isOpen = type(of: route).outlivesSuspension
                    #expect((answer.status == 403 && isTold) != isOpen, "\(method) \(path)")
                    #expect(answer.status < 500, "\(method) \(path)")
                }
            }
        }
        #expect(web.commits == commits)
    }

    @Test("grants nothing, and goes on with all it had", arguments: [true, false])
    func goesOn(_ isHeard: Bool) async throws {
        let web = try await WebSide()
        let session = try await DPoPTests.redeem(web)
        let refresh = try #require(session["refresh_token"]?.string)
        let access = try #require(session["access_token"]?.string)
        let code = try await web.side.code()
        try await web.side.suspend(isHeard: isHeard)
        let answers = try await web.expectNothingRecorded {
            [
                try await DPoPTests.refresh(web, refresh),
                try await DPoPTests.redeem(web, code: code),
                try await web.post(
                    "/oauth2/token",
                    "grant_type=client_credentials",
                    Self.service
                ),
                try await Self.userInfo(web, access),
            ]
        }
        for answer in answers { #expect(answer.word == Self.refused, "\(answer.body)") }
        #expect(try await !Self.isActive(web, access))
        try await web.side.resume()
        #expect(try await Self.isActive(web, access))
        #expect(try await DPoPTests.refresh(web, refresh).status == 200)
        #expect(try await DPoPTests.redeem(web, code: code).status == 200)
    }

    private static func userInfo(_ web: WebSide, _ access: String) async throws -> Answer {
        try await web.send(
            .get,
            "/oauth2/userinfo",
            headers: ["authorization": "Bearer \(access)"]
        )
    }

    @Test("is suspended for a service that asks where nobody has heard of it, too")
    func unheard() async throws {
        let web = try await WebSide()
        let session = try await DPoPTests.redeem(web)
        let access = try #require(session["access_token"]?.string)
        try await web.side.suspend(isHeard: false)
        #expect(try await !Self.isActive(web, access))
    }

    @Test("is suspended for an app that asks where nobody has heard of it, and is no dead session")
    func unheardUser() async throws {
        let web = try await WebSide()
        let session = try await DPoPTests.redeem(web)
        let access = try #require(session["access_token"]?.string)
        try await web.side.suspend(isHeard: false)
        #expect(try await Self.userInfo(web, access).word == Self.refused)
    }

    @Test("counts no failure of an address, however often it asks", arguments: [true, false])
    func addresses(_ isHeard: Bool) async throws {
        let web = try await WebSide()
        let session = try await DPoPTests.redeem(web)
        let token = try #require(session["refresh_token"]?.string)
        for _ in 0..<RequestLimit.failedRequest.standard.burst {
            try await web.side.suspend(isHeard: isHeard)
            #expect(try await DPoPTests.refresh(web, token).word == Self.refused)
            try await web.side.resume()
        }
        #expect(try await DPoPTests.refresh(web, token).status == 200)
    }

    @Test("counts among the errors of the token endpoint", arguments: [true, false])
    func counted(_ isHeard: Bool) async throws {
        let web = try await WebSide()
        let session = try await DPoPTests.redeem(web)
        let token = try #require(session["refresh_token"]?.string)
        try await web.side.suspend(isHeard: isHeard)
        #expect(try await DPoPTests.refresh(web, token).word == Self.refused)
        let text = String(decoding: web.metrics.render(), as: UTF8.self)
        let series = #"{grant="refresh_token",error="unauthorized_client"} 1"#
        #expect(text.contains("chancery_oauth_errors_total\(series)"), "\(text)")
    }

    @Test("lets an app end what it has") func revokes() async throws {
        let web = try await WebSide()
        let session = try await DPoPTests.redeem(web)
        let token = try #require(session["refresh_token"]?.string)
        try await web.side.suspend()
        let ended = try await web.post("/oauth2/revoke", "token=\(token)&client_id=app")
        #expect(ended.status == 200, "\(ended.body)")
        let stranger = try await web.post("/oauth2/revoke", "token=\(token)&client_id=nobody")
        #expect(stranger.word == "401 invalid_client", "\(stranger.body)")
        try await web.side.resume()
        #expect(try await DPoPTests.refresh(web, token).word.hasPrefix("400 invalid_grant"))
    }

    @Test("lets a user end what is theirs at the settings") func settings() async throws {
        let web = try await WebSide()
        let session = try await DPoPTests.redeem(web)
        let token = try #require(session["refresh_token"]?.string)
        try await web.side.suspend()
        let side = SettingsSide(web)
        let others = try #require(try await side.forms()[""])
        #expect(try await side.post(others).status == 303)
        try await web.side.resume()
        #expect(try await DPoPTests.refresh(web, token).word.hasPrefix("400 invalid_grant"))
    }

    @Test("lets an app's page end all others, and goes on itself") func settingsByApp()
        async throws
    {
        let web = try await WebSide()
        let (side, refresh) = try await SettingsSide.openedByApp(web)
        var both = side
        both.cookie = "\(side.cookie); \(SettingsSide(web).cookie)"
        let other = try await DPoPTests.redeem(web, code: web.side.code())
        let gone = try #require(other["refresh_token"]?.string)
        try await web.side.suspend()
        #expect(try await side.get().status == 200)
        let others = try #require(try await both.forms()[""])
        #expect(try await both.post(others).status == 303)
        try await web.side.resume()
        #expect(try await DPoPTests.refresh(web, refresh).status == 200)
        #expect(try await DPoPTests.refresh(web, gone).word.hasPrefix("400 invalid_grant"))
    }

    @Test("is told to a page of its clients, whose browser reads it") func crossOrigin()
        async throws
    {
        let web = try await WebSide()
        try await web.side.suspend()
        let origin = "https://app.example.com"
        let answer = try await web.post("/oauth2/token", "client_id=app", ["origin": origin])
        #expect(answer.word == Self.refused, "\(answer.body)")
        #expect(answer.field("Access-Control-Allow-Origin") == [origin])
    }

    @Test("keeps its apps' links, which phones would miss for days") func linkFiles()
        async throws
    {
        let web = try await WebSide()
        var settings = web.side.project.settings
        settings.clients[0].universalLink.iosAppID = "TEAM.com.example.app"
        try await web.side.apply(settings)
        try await web.side.suspend()
        let file = try await web.send(.get, "/.well-known/apple-app-site-association")
        #expect(file.status == 200 && file.body.contains("TEAM.com.example.app"), "\(file.body)")
    }
}

/// The pages of a project that is suspended while people are at them.
@Suite("The pages of a suspended project") struct SuspendedPagesTests {
    @Test("lead nobody through a login, which goes on afterwards") func login() async throws {
        var side = try await PageSide()
        let (page, link) = try await side.askForMail()
        side.side.isSuspended = true
        let commits = side.side.store.commits.count
        let begun = await side.get(PageSide.authorizeTarget())
        let approved = await side.send(.post, link)
        let completed = await side.post("/login/complete", page.fields)
        #expect(begun.word == "403 unauthorized_client")
        #expect(begun.body.contains("The project is suspended"))
        #expect(begun.body.contains("Not available now"))
        #expect(approved.word == "403 AccessDenied")
        #expect(completed.word == "403 unauthorized_client")
        #expect(side.side.store.commits.count == commits)
        side.side.isSuspended = false
        #expect(await side.send(.post, link).status == 200)
        let done = await side.post("/login/complete", page.fields)
        #expect(done.location?.hasPrefix("https://web.example.com/callback?") == true)
    }

    @Test("send no mail that was asked for before") func mail() async throws {
        var side = try await PageSide()
        let login = try await side.openLogin()
        let sent = await side.post("/login", "\(login.fields)&email=ada%40example.com")
        #expect(sent.status == 303)
        side.side.isSuspended = true
        _ = try await side.side.mails.run(by: Fixture.noDeadline)
        #expect(side.side.mailQueue.sent.isEmpty)
    }

    @Test("sign their user out, and lead back to the client") func logout() async throws {
        var side = try await PageSide()
        try await side.signIn()
        side.side.isSuspended = true
        let bye = "https%3A%2F%2Fweb.example.com%2Fbye"
        let query = "client_id=web&post_logout_redirect_uri=\(bye)"
        let start = await side.get("/oauth2/end_session?\(query)")
        let confirm = await side.get(try #require(start.location))
        #expect(confirm.status == 200, "\(confirm.body)")
        let reference = try #require(start.location?.split(separator: "=").last)
        let done = await side.post("/logout", "reference=\(reference)&\(confirm.fields)")
        #expect(done.status == 303 && done.location == "https://web.example.com/bye")
    }
}
