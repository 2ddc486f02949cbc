import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// What a node answers that has not heard yet that an operator has suspended the project at another
/// one (decision 0201).
@Suite("A project that was suspended at another node") struct SuspendedElsewhereTests {
    /// Fewer failures than such a test makes requests.
    private static let fewFailures: [RequestLimit: RequestLimit.Rate] = [
        .failedRequest: .init(perMinute: 60, burst: 2)
    ]

    /// What is asked is refused as in a suspended project, and can be asked again afterwards.
    private static func expectRefused(
        _ web: WebSide,
        as word: String = "403 unauthorized_client",
        sourceLocation: SourceLocation = #_sourceLocation,
        _ request: () async throws -> Answer
    ) async throws {
        try await web.side.suspend(isHeard: false)
        let answer = try await web.expectNothingRecorded(
            sourceLocation: sourceLocation,
            by: request
        )
        let isTold = answer.body.contains("project is suspended: try again later")
        #expect(answer.word == word && isTold, "\(answer.body)", sourceLocation: sourceLocation)
        for field in ["Location", "Set-Cookie", "WWW-Authenticate"] {
            #expect(answer.field(field).isEmpty, "\(field)", sourceLocation: sourceLocation)
        }
        try await web.side.resume()
    }

    @Test(
        "lets no app do anything for its user, and tells none to log in",
        arguments: UserRouteTests.targets
    )
    func users(_ target: UserRouteTests.Target) async throws {
        let web = try await WebSide(limits: Self.fewFailures)
        let session = try await SessionAPITests.session(web)
        let token = try #require(session["access_token"]?.string)
        let fields = [("authorization", "Bearer \(token)")]
        for _ in 0..<4 {
            try await Self.expectRefused(web, as: "403 AccessDenied") {
                try await web.send(target.method, target.path, fields: fields)
            }
        }
        let answer = try await web.send(target.method, target.path, fields: fields)
        #expect([200, 404].contains(answer.status), "\(answer.body)")
    }

    @Test("opens no browser for an app, which can do it afterwards") func appSession()
        async throws
    {
        let web = try await WebSide(limits: Self.fewFailures)
        let (refresh, token) = try await AppSessionTokenTests.tokens(web)
        for _ in 0..<4 {
            try await Self.expectRefused(web, as: "403 AccessDenied") {
                try await AppSessionTokenTests.ask(web, refresh)
            }
        }
        #expect(try await AppSessionTokenTests.ask(web, refresh).status == 200)
        try await Self.expectRefused(web) { try await AppSessionTokenTests.open(web, token) }
        let opened = try await AppSessionTokenTests.open(web, token)
        #expect(opened.location?.hasPrefix(AppSessionTokenTests.settings) == true)
        #expect(!opened.field("Set-Cookie").isEmpty)
    }

    @Test("makes no URL for a browser and opens none, and uses none up") func url() async throws {
        let web = try await WebSide()
        let session = try await PreAuthenticatedURLTests.session(web)
        try await Self.expectRefused(web) {
            try await PreAuthenticatedURLTests.exchange(web, session)
        }
        let exchanged = try await PreAuthenticatedURLTests.exchange(web, session)
        try await Self.expectRefused(web) {
            try await PreAuthenticatedURLTests.open(web, exchanged)
        }
        let opened = try await PreAuthenticatedURLTests.open(web, exchanged)
        #expect(opened.status == 303 && !opened.field("Set-Cookie").isEmpty, "\(opened.body)")
    }

    @Test("lets nobody in by a biometric key, and uses no challenge up") func biometric()
        async throws
    {
        let web = try await WebSide()
        let user = try await BiometricTests.User(web)
        let jwt = try user.jwt("authenticate")
        try await Self.expectRefused(web) { try await user.authenticate(jwt) }
        let answer = try await user.authenticate(jwt)
        #expect(answer.status == 200, "\(answer.body)")
    }

    @Test("sets no biometric key up and mails nobody, and uses no challenge up") func enrolment()
        async throws
    {
        let web = try await WebSide()
        let user = try await BiometricTests.User(web, registered: false)
        let jwt = try user.jwt("setup")
        try await Self.expectRefused(web) { try await user.setUp(jwt) }
        try await web.sendMails()
        #expect(web.side.mailQueue.sentAboutKeys.isEmpty)
        let answer = try await user.setUp(jwt)
        #expect(answer.status == 200, "\(answer.body)")
        try await web.sendMails()
        #expect(web.side.mailQueue.sentAboutKeys.count == 1)
    }

    @Test("lets no other app in by a device secret, and gives no identity") func exchanges()
        async throws
    {
        let web = try await WebSide()
        let session = try await NativeSSOTests.session(web)
        let access = try #require(session["access_token"]?.string)
        let form = try NativeSSOTests.form(session)
        let identity = "grant_type=\(IDTokenGrant.names[0])&client_id=app"
        try await Self.expectRefused(web) { try await NativeSSOTests.send(web, form) }
        try await Self.expectRefused(web) {
            try await web.post("/oauth2/token", identity, ["authorization": "Bearer \(access)"])
        }
        let joined = try await NativeSSOTests.send(web, form)
        #expect(joined.status == 200, "\(joined.body)")
    }

    @Test("takes no pushed request, and uses up none that it has") func pushed() async throws {
        let web = try await WebSide()
        try await Self.expectRefused(web) { try await PushedRequestTests.push(web) }
        let pushed = try await PushedRequestTests.push(web)
        #expect(pushed.status == 201, "\(pushed.body)")
        try await Self.expectRefused(web) { try await PushedRequestTests.bring(web, pushed) }
        let brought = try await PushedRequestTests.bring(web, pushed)
        #expect(brought.location?.hasPrefix("/login?") == true, "\(brought.body)")
    }

    @Test("refuses each step of a login, which goes on from there afterwards") func login()
        async throws
    {
        let web = try await WebSide()
        try await Self.claimAddress(web)
        var browser = WebBrowser(web)
        let wish = PushedRequestTests.form([
            "code_challenge": DeviceKeyTests.challenge, "scope": "openid offline_access",
        ])
        let target = "/oauth2/authorize?\(wish)".replacing(" ", with: "%20")
        try await Self.expectRefused(web) { try await browser.get(target) }
        let start = try await browser.get(target)
        let login = try await browser.get(try #require(start.location))
        let address = "\(login.fields)&email=a%40example.com"

        try await Self.expectRefused(web) { try await browser.post("/login", address) }
        try await web.sendMails()
        #expect(web.side.mailQueue.sent.isEmpty)
        let asked = try await browser.post("/login", address)
        let page = try await browser.get(try #require(asked.location))
        try await web.sendMails()
        let mail = try #require(web.side.mailQueue.sent.last, "no mail after the suspension")
        let link = String(mail.link.dropFirst(PageSide.origin.count))

        try await Self.expectRefused(web, as: "403 AccessDenied") {
            try await web.send(.post, link)
        }
        #expect(try await web.send(.post, link).status == 200)

        // Whoever waits is not told that it is over: the page asks again.
        let status = "/login/status?\(page.fields.prefix { $0 != "&" })"
        try await Self.expectRefused(web, as: "403 AccessDenied") {
            try await browser.get(status)
        }
        #expect(try await browser.get(status)["result"]?["status"] == "approved")

        try await Self.expectRefused(web) {
            try await browser.post("/login/complete", page.fields)
        }
        let code = try await browser.post("/login/complete", page.fields).code()
        try await Self.expectRefused(web) { try await DPoPTests.redeem(web, code: code) }
        let session = try await DPoPTests.redeem(web, code: code)
        #expect(session.status == 200, "\(session.body)")
    }

    /// The user of the project logs in by their address.
    private static func claimAddress(_ web: WebSide) async throws {
        let address = try #require(EmailAddress(Array(TokenSide.address.utf8)))
        let name = StreamNames(web.side.digester).loginID(address, in: web.side.project.number)
        let subject = web.side.subject
        try await web.side.run(LoginID.self, name) {
            .claim(by: subject, kind: .email, value: Sealed(bytes: address.bytes))
        }
        web.side.clock.advance(seconds: 100)
    }
}
