import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// A client with `x_consent_required` gets no scope that its user has not agreed to, also where no
/// page asks (WireContract 5.5 to 5.7).
@Suite("A consent that is required") struct RequiredConsentTests {
    /// Requires it of a client, and gives and takes it.
    private struct Asked: Sendable {
        let web: WebSide
        let client: ClientID
        private let name: StreamID

        init(_ web: WebSide, _ client: String) async throws {
            self.web = web
            self.client = Sample.client(client)
            name = StreamNames(web.side.digester)
                .consent(web.side.subject, self.client, in: web.side.project.number)
            let id = web.side.project.settings.id
            var settings = try #require(web.side.projects.project(id: id)).settings
            let index = try #require(settings.clients.firstIndex { $0.id.text == client })
            settings.clients[index].consentRequired = true
            try await web.side.apply(settings)
        }

        func give(_ scope: String) async throws {
            try await web.side.run(Consent.self, name) { .give(client, Sample.scope(scope)) }
        }

        func withdraw() async throws {
            try await web.side.run(Consent.self, name) { .withdraw(by: .user) }
        }

        /// Without consent, with all of one that was given, beyond it, and when it was withdrawn.
        ///
        /// `cuts`: who asks for nothing in particular gets what was agreed to. `refused`: what is
        /// heard of one that was withdrawn.
        func check(
            cuts: Bool = true,
            refused: String = "400 invalid_scope",
            _ ask: (String?) async throws -> Answer
        ) async throws {
            let unasked = try await web.expectNothingRecorded { try await ask(nil) }
            #expect(unasked.word == "400 invalid_scope")
            try await give("openid offline_access")
            for scope in ["openid offline_access email"] + (cuts ? [] : [nil]) {
                let wider = try await web.expectNothingRecorded { try await ask(scope) }
                #expect(wider.word == "400 invalid_scope")
            }
            if cuts { #expect(try await ask(nil).status == 200) }
            let agreed = try await ask("openid offline_access")
            #expect(agreed.status == 200, "\(agreed.body)")
            try await withdraw()
            let withdrawn = try await web.expectNothingRecorded {
                try await ask("openid offline_access")
            }
            #expect(withdrawn.word == refused)
        }
    }

    @Test("lets a client join with what was agreed to, and no further") func nativeSSO()
        async throws
    {
        let web = try await WebSide()
        let asked = try await Asked(web, "invest")
        let session = try await NativeSSOTests.session(web)
        try await asked.check(cuts: false) { scope in
            var form = try NativeSSOTests.form(session)
            if let scope { form.append(("scope", scope)) }
            return try await NativeSSOTests.send(web, form)
        }
    }

    @Test("lets a biometric key log in with what was agreed to, and no further")
    func biometric() async throws {
        let user = try await BiometricTests.User(WebSide())
        let asked = try await Asked(user.web, "app")
        try await asked.check { scope in
            let more = scope.map { "&scope=\($0)" } ?? ""
            return try await user.authenticate(user.jwt("authenticate"), more)
        }
    }

    @Test("nor does it let another app in beyond that") func approval() async throws {
        let web = try await CascadeTests.cascading()
        let user = try await BiometricTests.User(web)
        let asked = try await Asked(web, "app")
        func approve() async throws -> Answer {
            let jwt = try user.jwt("authenticate_app2app") { $0.setting("client_id", "other") }
            return try await user.authenticate(jwt, user.link)
        }
        let refused = try await web.expectNothingRecorded(by: approve)
        #expect(refused.word == "400 invalid_scope")
        try await asked.give("openid offline_access \(UserAccess.scope)")
        #expect(try await approve()["code"] != nil)
    }

    @Test("opens a site by a URL with what was agreed to, and no further") func url() async throws {
        let web = try await WebSide()
        let asked = try await Asked(web, "offers")
        var newest = try await PreAuthenticatedURLTests.session(web)
        // By then it shows its own id token, which lets nobody in any more.
        try await asked.check(refused: "400 invalid_grant") { scope in
            let answer = try await PreAuthenticatedURLTests.exchange(web, newest, scope: scope)
            if answer.status == 200 { newest = answer }
            return answer
        }
    }

    @Test("is asked again when the URL is opened: withdrawn since, it opens nothing")
    func urlOpened() async throws {
        let web = try await WebSide()
        let asked = try await Asked(web, "offers")
        try await asked.give("openid offline_access email")
        let session = try await PreAuthenticatedURLTests.session(web)
        let exchanged = try await PreAuthenticatedURLTests.exchange(web, session)
        #expect(exchanged.status == 200, "\(exchanged.body)")
        let whole = try PreAuthenticatedURLTests.parameters(exchanged)
        func open(_ scope: String?) async throws -> Answer {
            let parameters = whole + (scope.map { [("scope", $0)] } ?? [])
            return try await web.send(.get, PreAuthenticatedURLTests.target(parameters))
        }
        func expectRefused(_ scope: String?) async throws {
            let refused = try await web.expectNothingRecorded { try await open(scope) }
            #expect(refused.location?.contains("error=invalid_scope&") == true, "\(refused)")
            #expect(refused.field("Set-Cookie").isEmpty)
        }
        try await asked.withdraw()
        for scope in [nil, "openid"] { try await expectRefused(scope) }
        // Given anew for less: that much, and no more.
        try await asked.give("openid offline_access")
        try await expectRefused("openid email")
        let opened = try await open(nil)
        let cookie = try #require(opened.field("Set-Cookie").first)
        let token = cookie.dropFirst("app_access_token=".count).prefix { $0 != ";" }
        let claims = web.side.signer.verifyAccessToken(
            Array(token.utf8),
            of: web.side.project,
            at: web.side.clock.now
        )
        #expect(claims?.scope == Sample.scope("openid offline_access"))
    }

    @Test(
        "counts as it is when the URL's opening is written: withdrawn meanwhile, it opens nothing"
    )
    func urlMeanwhile() async throws {
        let web = try await WebSide()
        let asked = try await Asked(web, "offers")
        try await asked.give("openid offline_access email")
        let session = try await PreAuthenticatedURLTests.session(web)
        let exchanged = try await PreAuthenticatedURLTests.exchange(web, session)
        web.side.store.beforeNextAppend {
            do { try await asked.withdraw() } catch { Issue.record(error) }
        }
        let refused = try await PreAuthenticatedURLTests.open(web, exchanged)
        #expect(refused.location?.contains("error=invalid_scope&") == true, "\(refused)")
        #expect(refused.field("Set-Cookie").isEmpty)
    }

    @Test("nor does a URL open for a client that is disabled meanwhile") func urlDisabled()
        async throws
    {
        let web = try await WebSide()
        let session = try await PreAuthenticatedURLTests.session(web)
        let exchanged = try await PreAuthenticatedURLTests.exchange(web, session)
        web.side.store.beforeNextAppend {
            do {
                var settings = web.side.project.settings
                let index = try #require(settings.clients.firstIndex { $0.id.text == "offers" })
                settings.clients[index].enabled = false
                try await web.side.apply(settings, isHeard: false)
            } catch { Issue.record(error) }
        }
        let refused = try await PreAuthenticatedURLTests.open(web, exchanged)
        #expect(refused.status == 400 && refused.location == nil, "\(refused)")
        #expect(refused.field("Set-Cookie").isEmpty)
    }
}
