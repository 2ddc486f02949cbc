import Crypto
import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// One app lets another in (WireContract 5.4): the attacks of Security 4.3.
@Suite("app2app over HTTP") struct App2AppTests {
    static let grant = "urn:authgear:params:oauth:grant-type:app2app"
    static let now: Int64 = 1_795_232_554

    static func configure(_ web: WebSide, _ rules: ClientSettings.App2App?) async throws {
        var settings = try #require(web.side.projects.project(id: web.side.project.settings.id))
            .settings
        settings.clients[0].app2app = rules
        try await web.side.apply(settings)
    }

    @Test("a target whose grant types leave app2app out is let in by no key either")
    func narrowed() async throws {
        let web = try await WebSide()
        try await Self.configure(web, .init())
        let user = try await BiometricTests.User(web)
        let jwt = try user.jwt("authenticate_app2app") { $0.setting("client_id", "other") }
        var settings = try #require(web.side.projects.project(id: web.side.project.settings.id))
            .settings
        let known = settings.clients
        for index in settings.clients.indices where settings.clients[index].id.text == "other" {
            settings.clients[index].grantTypes.removeAll { $0.contains("app2app") }
        }
        #expect(settings.clients != known)
        try await web.side.apply(settings)
        let answer = try await web.expectNothingRecorded {
            try await user.authenticate(jwt, user.link)
        }
        #expect(answer.error == "unauthorized_client", "\(answer.body)")
    }

    @Test(
        "the target gets its own session, and the owner keeps its token",
        arguments: ["", "-request"]
    )
    func mainJob(_ suffix: String) async throws {
        let owner = try await Owner(WebSide())
        let login = Authentication(methods: [.otp], at: owner.web.side.clock.now)
        owner.web.side.clock.advance(seconds: 40)
        let answer = try await owner.approve(owner.jwt(), ["grant_type": Self.grant + suffix])
        #expect(answer.status == 200, "\(answer.body)")
        let code = try #require(answer["code"]?.string)
        #expect(answer.body == #"{"code":"\#(code)"}"#)
        owner.web.side.clock.advance(seconds: 40)
        let redeemed = try await owner.redeem(code)
        #expect(redeemed.status == 200, "\(redeemed.body)")
        #expect(redeemed["scope"] == "offline_access openid")
        // Nobody has logged in again.
        #expect(owner.web.logins(of: redeemed) == [login])
        let token = try #require(redeemed["refresh_token"]?.string)
        let session = try #require(
            RefreshToken(reading: Array(token.utf8), digester: owner.web.side.digester)
        ).session
        #expect(session != owner.session)
        let state = try await owner.web.side.store.load(
            OfflineGrant.self,
            session.stream,
            by: Fixture.noDeadline
        ).state
        #expect(state.session?.opening.via == .app2app)
        #expect(state.session?.opening.owner == owner.session)
        #expect(try await DPoPTests.refresh(owner.web, owner.refreshToken).status == 200)
        #expect(try await owner.redeem(code).error == "invalid_grant")
    }

    @Test("attack: one session approves more often than a session may be refreshed")
    func tooOften() async throws {
        let web = try await WebSide(limits: [.refresh: .init(perMinute: 60, burst: 2)])
        let owner = try await Owner(web)
        for _ in 0..<2 { #expect(try await owner.approve(owner.jwt()).status == 200) }
        let late = try await web.expectNothingRecorded { try await owner.approve(owner.jwt()) }
        #expect(late.status == 429 && late.error == "x_rate_limited")
        web.side.clock.advance(seconds: 1)
        #expect(try await owner.approve(owner.jwt()).status == 200)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var changes: [String: String] = [:]
        var payload: @Sendable (Members) -> Members = { $0 }
        var error: String
    }

    static let rows = [
        Row(testDescription: "no jwt", changes: ["jwt": ""], error: "invalid_request"),
        Row(
            testDescription: "no refresh token",
            changes: ["refresh_token": ""],
            error: "invalid_request"
        ),
        Row(
            testDescription: "no redirect_uri",
            changes: ["redirect_uri": ""],
            error: "invalid_request"
        ),
        Row(
            testDescription: "no code_challenge",
            changes: ["code_challenge": ""],
            error: "invalid_request"
        ),
        Row(
            testDescription: "a plain challenge",
            changes: ["code_challenge_method": "plain"],
            error: "invalid_request"
        ),
        Row(
            testDescription: "a short challenge",
            changes: ["code_challenge": "AAAA"],
            error: "invalid_request"
        ),
        Row(
            testDescription: "steering into a hostile app",
            changes: ["redirect_uri": "https://evil.example/callback"],
            error: "invalid_request"
        ),
        Row(
            testDescription: "a redirect URI with one more slash",
            changes: ["redirect_uri": TokenSide.redirectURI + "/"],
            error: "invalid_request"
        ),
        Row(
            testDescription: "a refresh token that is none",
            changes: ["refresh_token": "rt_AAAA"],
            error: "invalid_grant"
        ),
        Row(
            testDescription: "a scope that the owner has not",
            changes: ["scope": "payments.read"],
            error: "invalid_scope"
        ),
        Row(testDescription: "a JWT that is none", changes: ["jwt": "x"], error: "invalid_request"),
        Row(
            testDescription: "a JWT for another target",
            payload: { $0.setting("client_id", "evil") },
            error: "invalid_request"
        ),
        Row(
            testDescription: "a JWT for another redirect URI",
            payload: { $0.setting("redirect_uri", "https://evil.example") },
            error: "invalid_request"
        ),
        Row(
            testDescription: "a JWT for another code challenge",
            payload: { $0.setting("code_challenge", "AAAA") },
            error: "invalid_request"
        ),
        Row(
            testDescription: "a JWT for another issuer",
            payload: { $0.setting("aud", "https://evil.example") },
            error: "invalid_request"
        ),
        Row(
            testDescription: "a JWT of yesterday",
            payload: { $0.setting("iat", .integer(now - 86_400)) },
            error: "invalid_request"
        ),
        Row(
            testDescription: "a JWT without challenge",
            payload: { $0.setting("challenge", nil) },
            error: "invalid_request"
        ),
    ]

    @Test("is refused, changes nothing, and burns nothing", arguments: rows)
    func refuses(_ row: Row) async throws {
        let owner = try await Owner(WebSide())
        let good = DeviceKeyTests.payload(owner.web)
        let before = owner.web.commits
        let jwt = try owner.phone.jwt(owner.phone.header(), row.payload(good))
        let answer = try await owner.approve(jwt, row.changes)
        #expect(answer.status == 400)
        #expect(answer.error == row.error)
        #expect(owner.web.commits == before)
        let retry = try owner.phone.jwt(owner.phone.header(), good)
        #expect(try await owner.approve(retry).status == 200)
    }

    @Test("who stole the refresh token alone lets nobody in") func stolenToken() async throws {
        let owner = try await Owner(WebSide())
        let thief = try Phone()
        let before = owner.web.commits
        let own = try thief.jwt(thief.header(), DeviceKeyTests.payload(owner.web))
        #expect(try await owner.approve(own).error == "invalid_request")
        let claimed = try thief.jwt(
            owner.phone.header(),
            DeviceKeyTests.payload(owner.web)
        )
        #expect(try await owner.approve(claimed).error == "invalid_request")
        let bare = try thief.jwt(
            thief.header(embeds: false),
            DeviceKeyTests.payload(owner.web)
        )
        #expect(try await owner.approve(bare).error == "invalid_request")
        #expect(owner.web.commits == before)
    }

    @Test("the bound key need not be sent along") func bareHeader() async throws {
        let owner = try await Owner(WebSide())
        let jwt = try owner.phone.jwt(
            owner.phone.header(embeds: false),
            DeviceKeyTests.payload(owner.web)
        )
        #expect(try await owner.approve(jwt).status == 200)
    }

    @Test("a session without device key binds none, unless the owner allows it until a day")
    func insecureBinding() async throws {
        let web = try await WebSide()
        let owner = try await Owner(web, bound: false)
        let closed = try await web.expectNothingRecorded { try await owner.approve(owner.jwt()) }
        #expect(closed.error == "invalid_grant")
        let end = Instant(seconds: Self.now + 60)
        try await Self.configure(web, .init(insecureBindingUntil: end))
        let unsigned = try owner.phone.jwt(
            owner.phone.header(),
            DeviceKeyTests.payload(web),
            by: Phone().key
        )
        let stranger = try await web.expectNothingRecorded { try await owner.approve(unsigned) }
        #expect(stranger.error == "invalid_request")
        let bare = try owner.phone.jwt(
            owner.phone.header(embeds: false),
            DeviceKeyTests.payload(web)
        )
        let keyless = try await web.expectNothingRecorded { try await owner.approve(bare) }
        #expect(keyless.error == "invalid_request")
        #expect(try await owner.approve(owner.jwt()).status == 200)
        // Bound for good: the next key comes too late.
        let thief = try Phone()
        let swap = try thief.jwt(thief.header(), DeviceKeyTests.payload(web))
        let swapped = try await web.expectNothingRecorded { try await owner.approve(swap) }
        #expect(swapped.error == "invalid_request")
    }

    @Test("after the end date of insecure binding it is as if it were off") func endDate()
        async throws
    {
        let web = try await WebSide()
        let owner = try await Owner(web, bound: false)
        try await Self.configure(web, .init(insecureBindingUntil: Instant(seconds: Self.now)))
        let answer = try await web.expectNothingRecorded { try await owner.approve(owner.jwt()) }
        #expect(answer.error == "invalid_grant")
    }

    @Test("of two keys that are bound at once one wins") func twoBinds() async throws {
        let web = try await WebSide()
        try await Self.configure(web, .init(insecureBindingUntil: Instant(microseconds: .max)))
        let owner = try await Owner(web, bound: false)
        let jwts = try (0..<50).map { _ in
            let phone = try Phone()
            return try phone.jwt(phone.header(), DeviceKeyTests.payload(web))
        }
        let before = web.commits
        let statuses = await withTaskGroup(of: Int.self) { group in
            for jwt in jwts {
                group.addTask { (try? await owner.approve(jwt).status) ?? 0 }
            }
            var all: [Int] = []
            for await status in group { all.append(status) }
            return all
        }
        #expect(statuses.filter { $0 == 200 }.count == 1)
        #expect(statuses.filter { $0 == 400 }.count == 49)
        let bound = web.newestEvents(after: before).filter {
            if case .offlineGrant(.deviceKeyBound) = $0 { true } else { false }
        }
        #expect(bound.count == 1)
        #expect(web.commits == before + 1)
    }

    @Test("of fifty that send one challenge at once one gets a code") func race() async throws {
        let owner = try await Owner(WebSide())
        let jwt = try owner.jwt()
        let before = owner.web.commits
        let statuses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { (try? await owner.approve(jwt).status) ?? 0 } }
            var all: [Int] = []
            for await status in group { all.append(status) }
            return all
        }
        #expect(statuses.filter { $0 == 200 }.count == 1)
        #expect(statuses.filter { $0 == 400 }.count == 49)
        #expect(owner.web.commits == before + 1)
    }
}
