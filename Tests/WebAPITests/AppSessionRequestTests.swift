import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// What a request with an app-session token says besides it (WireContract 4.2 and 9.6).
@Suite("App-session requests") struct AppSessionRequestTests {
    typealias Tokens = AppSessionTokenTests

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var changes: [String: String]
        var error = "invalid_request"
        var separator = "&"
        var site = "none"
    }

    static let rows = [
        Row(testDescription: "step 6: an unknown mode", changes: ["response_mode": "pigeon"]),
        Row(
            testDescription: "step 6: the mode of pre-authenticated URLs",
            changes: ["response_mode": "cookie"]
        ),
        Row(
            testDescription: "step 6: a form that our own page does not take",
            changes: ["response_mode": "form_post"]
        ),
        Row(
            testDescription: "step 6: a request object",
            changes: ["request": "ey.J.x"],
            error: "request_not_supported"
        ),
        Row(testDescription: "step 7: max_age is no number", changes: ["max_age": "-1"]),
        Row(testDescription: "step 9: the form of dpop_jkt", changes: ["dpop_jkt": "short"]),
        Row(testDescription: "step 9: the form of the nonce", changes: ["nonce": "é"]),
        Row(
            testDescription: "step 10: a scope that the client may not have",
            changes: ["scope": "openid admin"],
            error: "invalid_scope"
        ),
        Row(
            testDescription: "step 11: an unknown resource",
            changes: ["resource": "https://evil.example"],
            error: "invalid_target"
        ),
        Row(testDescription: "step 12: a forged hint", changes: ["id_token_hint": "ey.J.x"]),
        Row(
            testDescription: "a login that is older than max_age",
            changes: ["max_age": "0"],
            error: "login_required"
        ),
        Row(
            testDescription: "the mode that was asked for carries refusals",
            changes: ["response_mode": "fragment"],
            error: "interaction_required",
            separator: "#",
            site: "cross-site"
        ),
    ]

    @Test("what is wrong is refused, and uses nothing up", arguments: rows)
    func refused(_ row: Row) async throws {
        let web = try await WebSide()
        let token = try await Tokens.tokens(web).browser
        let answer = try await web.expectNothingRecorded {
            let site = [("sec-fetch-site", row.site)]
            return try await Tokens.open(web, token, row.changes, fields: site)
        }
        #expect(answer.status == 303)
        let start = "\(Tokens.settings)\(row.separator)error=\(row.error)&"
        #expect(answer.field("Location").first?.hasPrefix(start) == true)
        #expect(answer.field("Set-Cookie") == [])
        #expect(try await Tokens.open(web, token).field("Set-Cookie").count == 1)
    }

    @Test("what is right changes nothing", arguments: ["max_age", "scope", "resource", "dpop_jkt"])
    func accepted(_ name: String) async throws {
        let web = try await WebSide()
        let token = try await Tokens.tokens(web).browser
        let values = [
            "max_age": "60", "scope": "openid", "resource": "https://api.example.com",
            "dpop_jkt": SignInSide.challenge,
        ]
        let answer = try await Tokens.open(web, token, values.filter { $0.key == name })
        #expect(answer.field("Set-Cookie").count == 1)
    }

    @Test("the client is answered in the mode it asked for", arguments: ["fragment", "form_post"])
    func mode(_ mode: String) async throws {
        let web = try await WebSide()
        let token = try await Tokens.tokens(web).browser
        let answer = try await Tokens.open(
            web,
            token,
            ["redirect_uri": TokenSide.redirectURI, "state": "s", "response_mode": mode]
        )
        #expect(answer.field("Set-Cookie").count == 1)
        if mode == "fragment" {
            let start = "\(TokenSide.redirectURI)#state=s&iss="
            #expect(answer.field("Location").first?.hasPrefix(start) == true)
        } else {
            #expect(answer.status == 200)
            #expect(answer.body.contains(#"action="\#(TokenSide.redirectURI)""#))
            #expect(answer.body.contains(#"name="state" value="s""#))
        }
    }

    @Test("attack: the browser becomes somebody else's than the hint's") func hinted() async throws
    {
        let web = try await WebSide()
        let token = try await Tokens.tokens(web).browser
        func hint(_ subject: SubjectID) throws -> String {
            let claims = IDTokenClaims(
                subject: subject,
                audience: try Fixture.some(ClientID("app")),
                issuedAt: web.side.clock.now,
                expiresAt: web.side.clock.now,
                authentication: Authentication(methods: [.otp], at: web.side.clock.now),
                session: web.side.browser
            )
            let text = try web.side.signer.sign(
                claims,
                beside: nil,
                with: .es256,
                for: web.side.project
            )
            return String(decoding: text, as: UTF8.self)
        }
        let others = try hint(SubjectID(Sample.stream(0x51)))
        let answer = try await web.expectNothingRecorded {
            try await Tokens.open(web, token, ["id_token_hint": others])
        }
        #expect(answer.field("Location").first?.contains("error=login_required") == true)
        #expect(answer.field("Set-Cookie") == [])
        let own = try await Tokens.open(web, token, ["id_token_hint": hint(web.side.subject)])
        #expect(own.field("Set-Cookie").count == 1)
    }

    @Test("a disabled client's app hears a 401 that says how to come again") func disabled()
        async throws
    {
        let web = try await WebSide()
        let refresh = try await AppSessionTokenTests.tokens(web).refresh
        var settings = web.side.project.settings
        settings.clients[0].enabled = false
        try await web.side.apply(settings)
        let answer = try await AppSessionTokenTests.ask(web, refresh)
        #expect(answer.status == 401)
        #expect(answer.field("WWW-Authenticate") == ["Bearer"])
        // A 403 has none.
        let dead = try await AppSessionTokenTests.ask(web, "rt_nonsense")
        #expect(dead.status == 403 && dead.field("WWW-Authenticate") == [])
    }
}
