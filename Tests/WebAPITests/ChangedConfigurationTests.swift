import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// What the configuration took away a moment ago, at a node that has not heard of it (I21).
@Suite("A configuration changed underneath") struct ChangedConfigurationTests {
    typealias Change = @Sendable (inout ClientSettings) throws -> Void

    /// Applies `change` to a client; this node learns it by the conflict.
    private static func change(_ web: WebSide, _ client: String, _ change: Change) async throws {
        let id = web.side.project.settings.id
        var settings = try #require(web.side.projects.project(id: id)).settings
        let index = try #require(
            settings.clients.firstIndex { $0.id.text.utf8.elementsEqual(client.utf8) }
        )
        try change(&settings.clients[index])
        try await web.side.apply(settings, isHeard: false)
    }

    fileprivate static let elsewhere = "https://elsewhere.example.com/"

    static let gone: [(String, Change)] = [
        ("the origin", { $0.preAuthenticatedURL?.allowedOrigins = [] }),
        ("pre-authenticated URLs", { $0.preAuthenticatedURL = nil }),
        ("the client", { $0.enabled = false }),
    ]

    @Test("a URL whose address is no longer the client's opens nothing, and a page says so")
    func url() async throws {
        for (what, change) in Self.gone {
            let web = try await WebSide()
            let exchanged = try await PreAuthenticatedURLTests.exchange(
                web,
                try await PreAuthenticatedURLTests.session(web)
            )
            try await Self.change(web, "offers", change)
            let commits = web.commits
            let parameters = try PreAuthenticatedURLTests.parameters(exchanged)
            let answer = try await web.send(.get, PreAuthenticatedURLTests.target(parameters))
            #expect(answer.status == 400, "\(what)")
            #expect(answer.field("Location") == [], "\(what)")
            #expect(answer.field("Set-Cookie") == [], "\(what)")
            #expect(web.commits == commits, "\(what)")
        }
    }

    @Test("without the switch, an address that is still the client's hears it") func switchedOff()
        async throws
    {
        let web = try await WebSide()
        let exchanged = try await PreAuthenticatedURLTests.exchange(
            web,
            try await PreAuthenticatedURLTests.session(web)
        )
        try await Self.change(web, "offers") { $0.preAuthenticatedURL = nil }
        var parameters = try PreAuthenticatedURLTests.parameters(exchanged)
        parameters.removeAll { $0.0 == "redirect_uri" }
        parameters.append(("redirect_uri", TokenSide.redirectURI))
        let commits = web.commits
        let answer = try await web.send(.get, PreAuthenticatedURLTests.target(parameters))
        #expect(answer.field("Location").first?.contains("error=unauthorized_client&") == true)
        #expect(answer.field("Set-Cookie") == [])
        #expect(web.commits == commits)
    }

    @Test("a service that was disabled a moment ago hears nothing of a token") func introspection()
        async throws
    {
        let changes: [(String, Change)] = [
            ("401 invalid_client", { $0.enabled = false }),
            ("503 temporarily_unavailable", { $0.secretDigests = [Sample.digest(9)] }),
            ("200 inactive", { $0.resources = [] }),
        ]
        for (outcome, change) in changes {
            let web = try await WebSide()
            let token = try await DPoPTests.redeem(web)["access_token"]?.string
            let form = "token=\(try #require(token))"
            let basic: KeyValuePairs = ["authorization": "Basic YXBpOmEtc2VjcmV0"]
            let before = try await web.post("/oauth2/introspect", form, basic)
            #expect(before["active"] == true, "\(before.body)")
            try await Self.change(web, "api", change)
            let answer = try await web.post("/oauth2/introspect", form, basic)
            let word =
                answer.status == 200
                ? (answer["active"] == true ? "200 active" : "200 inactive") : answer.word
            #expect(word == outcome, "\(answer.body)")
            let challenge = answer.field("WWW-Authenticate").first
            #expect((challenge?.hasPrefix("Basic ") == true) == (answer.status == 401))
        }
    }

    @Test("a secret that was taken back a moment ago gets no token") func secret() async throws {
        let web = try await WebSide()
        let form = "grant_type=client_credentials"
        let basic: KeyValuePairs = ["authorization": "Basic YXBpOmEtc2VjcmV0"]
        #expect(try await web.post("/oauth2/token", form, basic).status == 200)
        try await Self.change(web, "api") { $0.secretDigests = [Sample.digest(9)] }
        let answer = try await web.expectNothingRecorded {
            try await web.post("/oauth2/token", form, basic)
        }
        #expect(answer.word == "503 temporarily_unavailable", "\(answer.body)")
        #expect(try await web.post("/oauth2/token", form, basic).status == 401)
    }

    @Test("a code gives no token without a key once the client wants its tokens bound")
    func bound() async throws {
        let web = try await WebSide()
        let code = try await web.side.code()
        try await Self.change(web, "app") { $0.dpop = .bound }
        let answer = try await web.expectNothingRecorded {
            try await DPoPTests.redeem(web, code: code)
        }
        #expect(answer.word == "503 temporarily_unavailable", "\(answer.body)")
        let again = try await DPoPTests.redeem(web, code: code)
        #expect(again.word == "400 invalid_dpop_proof", "\(again.body)")
    }

    @Test("the app of a client that was disabled gets no app-session token, and none is ended")
    func appSessionToken() async throws {
        let web = try await WebSide()
        let refresh = try await AppSessionTokenTests.tokens(web).refresh
        try await Self.change(web, "app") { $0.enabled = false }
        let answer = try await web.expectNothingRecorded {
            try await AppSessionTokenTests.ask(web, refresh)
        }
        #expect(answer.status == 401, "\(answer.body)")
        #expect(answer["result"] == nil)
    }

    @Test("an app-session token opens no address that is no longer the client's")
    func appSession() async throws {
        let changes: [(String, Change)] = [
            ("the address", { $0.redirectURIs = [try Fixture.some(RedirectURI(Self.elsewhere))] }),
            ("the client", { $0.enabled = false }),
        ]
        for (what, change) in changes {
            let web = try await WebSide()
            let token = try await AppSessionTokenTests.tokens(web).browser
            try await Self.change(web, "app", change)
            let commits = web.commits
            let answer = try await AppSessionTokenTests.open(
                web,
                token,
                ["redirect_uri": TokenSide.redirectURI]
            )
            #expect(answer.status == 400, "\(what)")
            #expect(answer.field("Location") == [], "\(what)")
            #expect(answer.field("Set-Cookie") == [], "\(what)")
            #expect(web.commits == commits, "\(what)")
        }
    }

    @Test("app2app sends no code to an address that is no longer the target's") func app2App()
        async throws
    {
        let owner = try await App2AppTests.Owner(WebSide())
        #expect(try await owner.approve(owner.jwt()).status == 200)
        try await Self.change(owner.web, "other") {
            $0.redirectURIs = [try Fixture.some(RedirectURI(Self.elsewhere))]
        }
        let jwt = try owner.jwt()
        let answer = try await owner.web.expectNothingRecorded { try await owner.approve(jwt) }
        #expect(answer.word == "400 invalid_request")
        #expect(answer.refusal?.id == "AP-005")
    }

    @Test("a client without biometric keys sets none up, and logs nobody in") func biometric()
        async throws
    {
        let user = try await BiometricTests.User(WebSide(), registered: false)
        let setup = try user.jwt("setup")
        try await Self.change(user.web, "app") { $0.biometric = nil }
        let refused = try await user.web.expectNothingRecorded { try await user.setUp(setup) }
        #expect(refused.word == "400 unauthorized_client")
        let other = try await BiometricTests.User(WebSide())
        let late = try other.jwt("authenticate")
        try await Self.change(other.web, "app") { $0.biometric = nil }
        let answer = try await other.web.expectNothingRecorded {
            try await other.authenticate(late)
        }
        #expect(answer.word == "400 unauthorized_client")
    }

    @Test("a biometric login gives no scope that is no longer the client's") func scope()
        async throws
    {
        let user = try await BiometricTests.User(WebSide())
        let login = try user.jwt("authenticate")
        try await Self.change(user.web, "app") {
            $0.allowedScopes = Sample.scope("openid offline_access")
        }
        let answer = try await user.authenticate(login)
        #expect(answer["scope"] == "offline_access openid", "\(answer.body)")
    }

    @Test("an id token is not for a client that was disabled") func identity() async throws {
        let web = try await WebSide()
        let tokens = try await DPoPTests.redeem(web, scope: "openid offline_access")
        let access = try #require(tokens["access_token"]?.string)
        let form = "grant_type=urn:authgear:params:oauth:grant-type:id-token&client_id=app"
        let bearer: KeyValuePairs = ["authorization": "Bearer \(access)"]
        #expect(try await web.post("/oauth2/token", form, bearer).status == 200)
        try await Self.change(web, "app") { $0.enabled = false }
        let answer = try await web.expectNothingRecorded {
            try await web.post("/oauth2/token", form, bearer)
        }
        #expect(answer.word == "401 invalid_client", "\(answer.body)")
    }
}
