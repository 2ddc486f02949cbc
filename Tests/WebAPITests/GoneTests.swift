import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Nothing that was made for a user or a client works when it is gone, and nothing is recorded of
/// the attempt (WireContract 4.4, 5, 9 and 9.7; Security I4).
@Suite("After the end of a user or a client, over HTTP") struct GoneTests {
    /// Something that was made for later, and what it comes to.
    struct Way: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// When the user was disabled.
        var user: String
        /// When the app was disabled whose session it is; nil: it goes on.
        var app: String?
        /// When the other client was disabled; nil: there is none.
        var other: (client: String, word: String)?
        var make: @Sendable (WebSide) async throws -> () async throws -> Answer
    }

    static let ways = tokens + sharing + phones + resources

    private static let dead = "400 invalid_grant"
    private static let unknown = "401 invalid_client"

    private static let tokens = [
        Way(testDescription: "a refresh token", user: dead, app: unknown) { web in
            let session = try await NativeSSOTests.session(web)
            let token = session["refresh_token"]?.string
            return { try await NativeSSOTests.refresh(web, token, client: "app") }
        },
        Way(testDescription: "a code", user: dead, app: unknown) { web in
            let code = try await web.side.code()
            return { try await DeviceKeyTests.redeem(web, code: code, jwt: nil) }
        },
        Way(testDescription: "an id token", user: "401 invalid_grant", app: unknown) { web in
            let token = try #require(try await NativeSSOTests.session(web)["access_token"]?.string)
            return {
                try await web.post(
                    "/oauth2/token",
                    "grant_type=urn:authgear:params:oauth:grant-type:id-token&client_id=app",
                    ["authorization": "Bearer \(token)"]
                )
            }
        },
    ]

    private static let sharing = [
        Way(
            testDescription: "an app that joins",
            user: dead,
            app: "400 unauthorized_client",
            other: ("invest", unknown)
        ) { web in
            let session = try await NativeSSOTests.session(web)
            return { try await NativeSSOTests.send(web, try NativeSSOTests.form(session)) }
        },
        Way(
            testDescription: "the exchange for a URL",
            user: dead,
            app: "400 unauthorized_client",
            other: ("offers", unknown)
        ) { web in
            let session = try await PreAuthenticatedURLTests.session(web)
            return { try await PreAuthenticatedURLTests.exchange(web, session) }
        },
        Way(
            testDescription: "the exchange for a URL by a guest",
            user: dead,
            app: "400 unauthorized_client",
            other: ("invest", "400 unauthorized_client")
        ) { web in
            let session = try await PreAuthenticatedURLTests.session(web)
            let guest = try await NativeSSOTests.send(web, try NativeSSOTests.form(session))
            return { try await PreAuthenticatedURLTests.exchange(web, guest) }
        },
        Way(
            testDescription: "a URL",
            user: "303 invalid_request",
            app: "303 invalid_request",
            other: ("offers", "400 invalid_client")
        ) { web in
            let session = try await PreAuthenticatedURLTests.session(web)
            let exchanged = try await PreAuthenticatedURLTests.exchange(web, session)
            return { try await PreAuthenticatedURLTests.open(web, exchanged) }
        },
        Way(
            testDescription: "a token for a browser",
            user: "403 InvalidGrant",
            app: "401 Unauthenticated"
        ) { web in
            let refresh = try await AppSessionTokenTests.tokens(web).refresh
            return { try await AppSessionTokenTests.ask(web, refresh) }
        },
        Way(
            testDescription: "a browser with such a token",
            user: "303 login_required",
            app: "400 invalid_client"
        ) { web in
            let token = try await AppSessionTokenTests.tokens(web).browser
            return { try await AppSessionTokenTests.open(web, token) }
        },
    ]

    private static let credentials = "400 invalid_grant InvalidCredentials"

    private static let phones = [
        Way(
            testDescription: "an approval",
            user: dead,
            app: "400 unauthorized_client",
            other: ("other", unknown)
        ) { web in
            let owner = try await App2AppTests.Owner(web)
            let jwt = try owner.jwt()
            return { try await owner.approve(jwt) }
        },
        Way(
            testDescription: "the code of an approval",
            user: dead,
            other: ("other", unknown)
        ) { web in
            let owner = try await App2AppTests.Owner(web)
            let code = try #require(try await owner.approve(owner.jwt())["code"]?.string)
            return { try await owner.redeem(code) }
        },
        Way(testDescription: "a biometric setup", user: "401 invalid_grant", app: unknown) { web in
            let user = try await BiometricTests.User(web, registered: false)
            let jwt = try user.jwt("setup")
            return { try await user.setUp(jwt) }
        },
        Way(testDescription: "a biometric login", user: credentials, app: unknown) { web in
            let user = try await BiometricTests.User(web)
            let jwt = try user.jwt("authenticate")
            return { try await user.authenticate(jwt) }
        },
        Way(
            testDescription: "an approval by a biometric key",
            user: credentials,
            app: unknown,
            other: ("other", "400 unauthorized_client")
        ) { web in
            let user = try await BiometricTests.User(web)
            let jwt = try user.jwt("authenticate_app2app") { $0.setting("client_id", "other") }
            return { try await user.authenticate(jwt, user.link) }
        },
    ]

    private static let resources = [
        resource("userinfo", "/oauth2/userinfo", "401 invalid_grant", "401 invalid_token"),
        resource(
            "a user's sessions",
            "/api/v1/sessions",
            "403 InvalidGrant",
            "401 Unauthenticated"
        ),
        resource(
            "a user's keys",
            "/api/v1/biometric_keys",
            "403 InvalidGrant",
            "401 Unauthenticated"
        ),
    ]

    private static func resource(_ name: String, _ path: String, _ user: String, _ app: String)
        -> Way
    {
        Way(testDescription: name, user: user, app: app) { web in
            let holder = try await BiometricTests.User(web, registered: false)
            let headers: KeyValuePairs = ["authorization": "Bearer \(holder.accessToken)"]
            return { try await web.send(.get, path, headers: headers) }
        }
    }

    private static func isGood(_ answer: Answer) -> Bool {
        answer.status == 200 || answer.status == 303 && !answer.field("Set-Cookie").isEmpty
    }

    @Test("what was made for a user who is disabled", arguments: ways) func user(_ way: Way)
        async throws
    {
        let web = try await WebSide()
        let attempt = try await way.make(web)
        try await web.side.run(Subject.self, web.side.subject.stream) { .disable(.operator) }
        let answer = try await web.expectNothingRecorded { try await attempt() }
        #expect(answer.word == way.user, "\(answer.body)")
        #expect(answer.field("Set-Cookie") == [])
    }

    @Test("what was made for a client that is disabled waits for it", arguments: ways)
    func client(_ way: Way) async throws {
        for (client, word) in [("app", way.app), (way.other?.client, way.other?.word)] {
            guard let client, let word else { continue }
            let web = try await WebSide()
            let attempt = try await way.make(web)
            let id = web.side.project.settings.id
            let enabled = try #require(web.side.projects.project(id: id)).settings
            var settings = enabled
            let index = try #require(settings.clients.firstIndex { $0.id.text == client })
            settings.clients[index].enabled = false
            try await web.side.apply(settings)
            let answer = try await web.expectNothingRecorded(client) { try await attempt() }
            #expect(answer.word == word, "\(client): \(answer.body)")
            #expect(answer.field("Set-Cookie") == [])
            try await web.side.apply(enabled)
            let later = try await attempt()
            #expect(Self.isGood(later), "\(client): \(later.body)")
        }
    }

    @Test("an app opens another site while the one that it opened last is disabled")
    func siteDisabled() async throws {
        let web = try await WebSide()
        let session = try await PreAuthenticatedURLTests.session(web)
        let opened = try await PreAuthenticatedURLTests.exchange(web, session)
        var settings = web.side.project.settings
        let site = try #require(settings.clients.firstIndex { $0.id.text == "offers" })
        settings.clients[site].enabled = false
        try await web.side.apply(settings)
        let next = try await PreAuthenticatedURLTests.exchange(web, opened, client: "offers2")
        #expect(next.status == 200, "\(next.body)")
    }

    @Test("the code of an approval waits while its owner's client is disabled")
    func ownerDisabled() async throws {
        let owner = try await App2AppTests.Owner(WebSide())
        let code = try #require(try await owner.approve(owner.jwt())["code"]?.string)
        let enabled = owner.web.side.project.settings
        var settings = enabled
        settings.clients[0].enabled = false
        try await owner.web.side.apply(settings)
        let answer = try await owner.web.expectNothingRecorded { try await owner.redeem(code) }
        #expect(answer.word == "400 invalid_grant", "\(answer.body)")
        try await owner.web.side.apply(enabled)
        #expect(try await owner.redeem(code).status == 200)
    }
}
