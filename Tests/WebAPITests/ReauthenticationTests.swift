import Crypto
import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Logging in again for a session that lives, from the authorization endpoint to the token
/// endpoint (WireContract 4.5 and 5.2).
@Suite("Reauthentication over HTTP") struct ReauthenticationTests {
    /// An app's session of a user whose address is known.
    private struct Side {
        static let scope = "openid offline_access device_sso"
        let web: WebSide
        let session: Answer
        var browser: WebBrowser

        init() async throws {
            web = try await WebSide()
            let address = try #require(EmailAddress(Array(TokenSide.address.utf8)))
            let name = StreamNames(web.side.digester)
                .loginID(address, in: web.side.project.number)
            let subject = web.side.subject
            try await web.side.run(LoginID.self, name) {
                .claim(by: subject, kind: .email, value: Sealed(bytes: address.bytes))
            }
            let code = try await web.side.code(scope: Self.scope)
            session = try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
            browser = WebBrowser(web)
            web.side.clock.advance(seconds: 100)
        }

        var id: SessionID? { Self.session(session, web) }

        /// What an answer's id token names.
        static func session(_ answer: Answer, _ web: WebSide) -> SessionID? {
            identity(answer, web)?.session
        }

        static func identity(_ answer: Answer, _ web: WebSide) -> IDTokenClaims? {
            (answer["id_token"]?.string).flatMap {
                web.side.signer.verifyIDToken(Array($0.utf8), of: web.side.project)
            }
        }

        mutating func start(_ changes: [String: String] = [:]) async throws -> Answer {
            var all = [
                "id_token_hint": try #require(session["id_token"]?.string), "max_age": "0",
                "scope": "openid device_sso", "code_challenge": DeviceKeyTests.challenge,
            ]
            all.merge(changes) { $1 }
            let target = "/oauth2/authorize?\(PushedRequestTests.form(all))"
            return try await browser.get(target.replacing(" ", with: "%20"))
        }

        /// The code of a login by mail, whatever was typed.
        mutating func code(_ changes: [String: String] = [:]) async throws -> String {
            let start = try await start(changes)
            return try await browser.logIn(from: start, typing: "a%40example.com").code()
        }

        func redeem(_ code: String, deviceKey: String? = nil) async throws -> Answer {
            try await DeviceKeyTests.redeem(web, code: code, jwt: deviceKey)
        }
    }

    @Test(
        "renews the login of that session: same sid, later auth_time, no second refresh token",
        arguments: [["max_age": "0"], ["max_age": "", "prompt": "login"]]
    )
    func renews(_ wish: [String: String]) async throws {
        var side = try await Side()
        let answer = try await side.redeem(side.code(wish))
        #expect(answer.status == 200, "\(answer.body)")
        #expect(answer["refresh_token"] == nil)
        #expect(answer["device_secret"]?.string?.hasPrefix("ds_") == true)
        let before = try #require(Side.identity(side.session, side.web))
        let after = try #require(Side.identity(answer, side.web))
        #expect(after.session == before.session)
        #expect(after.authentication.at.seconds == before.authentication.at.seconds + 100)
        #expect(after.audience.text == "app")
        // The family that it had goes on.
        let token = try #require(side.session["refresh_token"]?.string)
        #expect(try await DPoPTests.refresh(side.web, token).status == 200)
    }

    @Test("for more than the session has it is a login like any other, and the session goes on")
    func beyondScope() async throws {
        var side = try await Side()
        let answer = try await side.redeem(side.code(["scope": "openid email"]))
        #expect(answer.status == 200, "\(answer.body)")
        let other = try #require(Side.session(answer, side.web))
        #expect(other != side.id)
        let token = try #require(side.session["refresh_token"]?.string)
        #expect(try await DPoPTests.refresh(side.web, token).status == 200)
    }

    @Test("attack: another address is typed; the mail goes to the session's user, who is shown")
    func typedAddress() async throws {
        var side = try await Side()
        let start = try await side.start()
        let page = try await side.browser.get(Fixture.some(start.location))
        #expect(!page.body.contains("name=\"email\""))
        #expect(!page.body.contains(TokenSide.address))
        #expect(page.body.contains("@"))
        let back = try await side.browser.logIn(from: start, typing: "mallory%40example.com")
        #expect(side.web.side.mailQueue.sent.map(\.to.bytes) == [Array(TokenSide.address.utf8)])
        #expect(try await Side.session(side.redeem(back.code()), side.web) == side.id)
    }

    @Test("attack: somebody else's hint; the mail goes to them, whatever is typed") func otherUser()
        async throws
    {
        var side = try await Side()
        let somebody = try await side.web.somebodyElse()
        let code = try await side.web.side.code(scope: Side.scope, of: somebody)
        let other = try await side.redeem(code)
        let hint = try #require(other["id_token"]?.string)
        let start = try await side.start(["id_token_hint": hint])
        let page = try await side.browser.get(Fixture.some(start.location))
        #expect(!page.body.contains(TokenSide.address))
        _ = try await side.browser.post("/login", "\(page.fields)&email=a%40example.com")
        try await side.web.sendMails()
        #expect(side.web.side.mailQueue.sent.map(\.to.bytes) == [Array("b@example.com".utf8)])
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var changes: [String: String]
    }

    static let others = [
        Row(
            testDescription: "with offline_access",
            changes: ["scope": "openid offline_access device_sso"]
        ),
        Row(testDescription: "without the wish to log in again", changes: ["max_age": ""]),
        Row(testDescription: "for another client", changes: ["client_id": "other"]),
    ]

    @Test("is something else: a session of its own", arguments: others) func opens(_ row: Row)
        async throws
    {
        var side = try await Side()
        let code = try await side.code(row.changes)
        let client = row.changes["client_id"] ?? "app"
        let answer = try await DeviceKeyTests.redeem(
            side.web,
            code: code,
            jwt: nil,
            client: client
        )
        #expect(answer.status == 200, "\(answer.body)")
        let session = Side.session(answer, side.web)
        #expect(session != nil && session != side.id)
    }

    @Test("attack: a login that this browser had before renews nothing, however old it may be")
    func earlierLogin() async throws {
        var side = try await Side()
        let phone = try Phone()
        let first = try await side.redeem(side.code())
        side.web.side.clock.advance(seconds: 61)
        // Asked: its user logs in again, although somebody is signed in here.
        let asked = try await side.start(["max_age": "9999999999"])
        #expect(asked.location?.hasPrefix("/login?tx=") == true, "\(asked)")
        // Silent: a session of its own, and no key comes to the app's.
        let silent = try await side.start(["max_age": "9999999999", "prompt": "none"])
        let jwt = try phone.jwt(phone.header(), DeviceKeyTests.payload(side.web))
        let answer = try await side.redeem(silent.code(), deviceKey: jwt)
        #expect(answer.status == 200, "\(answer.body)")
        #expect(Side.session(answer, side.web) != side.id)
        #expect(side.web.logins(of: answer) == side.web.logins(of: first))
        let grant = try await side.web.side.store.load(
            OfflineGrant.self,
            try #require(side.id).stream,
            by: Fixture.noDeadline
        )
        #expect(grant.state.session != nil && grant.state.session?.deviceKey == nil)
    }

    @Test("attack: the hint of a session that has ended renews nothing") func ended() async throws {
        var side = try await Side()
        let start = try await side.start()
        let back = try await side.browser.logIn(from: start, typing: "a%40example.com")
        let token = try #require(side.session["refresh_token"]?.string)
        _ = try await side.web.post("/oauth2/revoke", "token=\(token)")
        let code = try back.code()
        let late = try await side.web.expectNothingRecorded { try await side.redeem(code) }
        #expect(late.word == "400 invalid_grant")
        // From the beginning it is a login like any other; an address gets one mail a minute.
        side.web.side.clock.advance(seconds: 61)
        let again = try await side.redeem(side.code())
        #expect(again.status == 200, "\(again.body)")
        #expect(Side.session(again, side.web) != side.id)
    }

    @Test("whose user is gone ends by itself, and the button pressed twice says so twice")
    func userGone() async throws {
        let side = try await Side()
        let web = side.web
        var starting = side
        let start = try await starting.start()
        var browser = starting.browser
        let page = try await browser.get(Fixture.some(start.location))
        try await web.side.run(Subject.self, web.side.subject.stream) { .disable(.operator) }
        let first = try await browser.post("/login", page.fields)
        #expect(first.location?.contains("error=login_required") == true, "\(first)")
        let commits = web.commits
        let again = try await browser.post("/login", page.fields)
        #expect(again.status == 303 && again.location == first.location)
        #expect(web.commits == commits)
    }

    @Test("binds the first key of the session, keeps it, and no other comes in its place")
    func deviceKey() async throws {
        var side = try await Side()
        let phone = try Phone()
        let first = try phone.jwt(phone.header(), DeviceKeyTests.payload(side.web))
        // The clock is 100 s ahead of the payload's: within what a phone may be off.
        #expect(try await side.redeem(side.code(), deviceKey: first).status == 200)
        side.web.side.clock.advance(seconds: 61)
        let thief = try Phone()
        let swap = try thief.jwt(thief.header(), DeviceKeyTests.payload(side.web))
        let code = try await side.code()
        let refused = try await side.web.expectNothingRecorded {
            try await side.redeem(code, deviceKey: swap)
        }
        #expect(refused.word == "400 invalid_grant")
        #expect(refused.refusal?.id == "DK-001")
        let again = try phone.jwt(phone.header(embeds: false), DeviceKeyTests.payload(side.web))
        #expect(try await side.redeem(code, deviceKey: again).status == 200)
    }

    @Test("a code that was asked for with dpop_jkt needs that key, pushed or not") func dpop()
        async throws
    {
        var side = try await Side()
        let phone = try Phone()
        let key = try PhoneKeys.thumbprint(of: phone)
        let code = try await side.code(["dpop_jkt": key])
        let (own, late) = (side.web.side.clock.now.seconds, "late")
        func proof(_ phone: Phone, _ id: String) throws -> String {
            let payload = DPoPTests.payload(id).setting("iat", .integer(own))
            return try phone.jwt(phone.header("dpop+jwt"), payload)
        }
        for bad in [nil, try proof(Phone(), "thief")] {
            let answer = try await side.web.expectNothingRecorded {
                try await DPoPTests.redeem(side.web, code: code, proof: bad)
            }
            #expect(answer.word == "400 invalid_dpop_proof")
        }
        let good = try await DPoPTests.redeem(
            side.web,
            code: code,
            proof: proof(phone, late)
        )
        #expect(good.status == 200, "\(good.body)")
    }

    @Test("that its session ended is said of a code by whatever key", arguments: [true, false])
    func endedBeforeKey(_ isUser: Bool) async throws {
        var side = try await Side()
        let web = side.web
        let code = try await side.code(["dpop_jkt": PhoneKeys.thumbprint(of: Phone())])
        if isUser {
            try await web.side.run(Subject.self, web.side.subject.stream) { .disable(.operator) }
        } else {
            let token = try #require(side.session["refresh_token"]?.string)
            _ = try await web.post("/oauth2/revoke", "token=\(token)")
        }
        let answer = try await web.expectNothingRecorded { try await side.redeem(code) }
        #expect(answer.word == "400 invalid_grant")
    }
}

/// The name of a phone's key.
private enum PhoneKeys {
    static func thumbprint(of phone: Phone) throws -> String {
        guard case .p256(let x, let y) = phone.key.publicKey else { return "" }
        let text =
            #"{"crv":"P-256","kty":"EC","x":"\#(Base64URL.text(x))","y":"\#(Base64URL.text(y))"}"#
        return Base64URL.text(SHA256.hash(Array(text.utf8)))
    }
}
