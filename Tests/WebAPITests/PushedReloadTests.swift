import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// A pushed request that is loaded again after its outcome was recorded (WireContract 4.6).
@Suite("Pushed requests, loaded again") struct PushedReloadTests {
    typealias Pushed = PushedRequestTests

    /// The cookie of a browser that somebody is signed in to.
    static func signedIn(_ web: WebSide) -> String {
        let text = String(decoding: web.side.browserCookie.text, as: UTF8.self)
        return "__Host-chancery_session=\(text)"
    }

    static func push(_ web: WebSide, _ changes: [String: String]) async throws -> Answer {
        try await Pushed.push(
            web,
            ["code_challenge": DeviceKeyTests.challenge].merging(changes) { $1 }
        )
    }

    /// The cookies of a browser that has taken a request.
    static func cookies(_ web: WebSide, _ first: Answer) throws -> String {
        "\(signedIn(web)); \(try Pushed.cookie(first))"
    }

    @Test(
        "an answer that was lost comes again, byte for byte",
        arguments: [
            ["prompt": "none"], ["prompt": "none", "response_mode": "fragment"],
            ["prompt": "none", "response_type": "none"], [:],
        ]
    )
    func lost(_ changes: [String: String]) async throws {
        let web = try await WebSide()
        let pushed = try await Self.push(web, changes)
        let first = try await Pushed.bring(web, pushed, cookie: Self.signedIn(web))
        let location = try #require(first.field("Location").first)
        #expect(location.hasPrefix(TokenSide.redirectURI))
        #expect(location.contains("code=") == (changes["response_type"] == nil))
        let cookies = try Self.cookies(web, first)
        for _ in 0..<2 {
            let again = try await web.expectNothingRecorded {
                try await Pushed.bring(web, pushed, cookie: cookies)
            }
            #expect(again.status == 303)
            #expect(again.field("Location") == [location])
        }
    }

    @Test("what was refused is refused again", arguments: [true, false])
    func refusedAgain(isSilent: Bool) async throws {
        let web = try await WebSide()
        let pushed = try await Self.push(web, isSilent ? ["prompt": "none"] : [:])
        let first = try await Pushed.bring(web, pushed)
        let cookie = try Pushed.cookie(first)
        if !isSilent {
            let page = try await web.send(
                .get,
                try #require(first.field("Location").first),
                fields: [("cookie", cookie)]
            )
            let cancelled = try await Self.cancel(web, page, cookie)
            #expect(cancelled.field("Location").first?.contains("error=access_denied") == true)
        }
        let again = try await web.expectNothingRecorded {
            try await Pushed.bring(web, pushed, cookie: cookie)
        }
        let error = isSilent ? "login_required" : "access_denied"
        #expect(again.field("Location").first?.contains("?error=\(error)&") == true)
        #expect(again.field("Location").first?.contains("&state=s&iss=") == true)
    }

    private static func cancel(_ web: WebSide, _ page: Answer, _ cookie: String)
        async throws -> Answer
    {
        let own = page.body.split(separator: #"action="/login/cancel""#, maxSplits: 1)
        let form = Answer(
            status: 200,
            body: String(try #require(own.last)),
            field: { _ in [] }
        )
        return try await web.send(
            .post,
            "/login/cancel",
            fields: [
                ("cookie", cookie), ("origin", "https://auth.example.com"),
                ("content-type", WebSide.form),
            ],
            body: Array(form.fields.utf8)
        )
    }

    @Test("the code of a page comes again, too") func afterPage() async throws {
        let web = try await WebSide()
        let pushed = try await Self.push(web, ["prompt": "select_account"])
        let first = try await Pushed.bring(web, pushed, cookie: Self.signedIn(web))
        let cookies = try Self.cookies(web, first)
        let page = try await web.send(
            .get,
            try #require(first.field("Location").first),
            fields: [("cookie", cookies)]
        )
        let pressed = try await web.send(
            .post,
            "/continue",
            fields: [
                ("cookie", cookies), ("origin", "https://auth.example.com"),
                ("content-type", WebSide.form),
            ],
            body: Array((page.fields + "&action=continue").utf8)
        )
        #expect(pressed.field("Location").first?.contains("code=") == true)
        let again = try await web.expectNothingRecorded {
            try await Pushed.bring(web, pushed, cookie: cookies)
        }
        #expect(again.field("Location") == pressed.field("Location"))
    }

    @Test("attack: another browser, another client, too late, a code that was redeemed")
    func foreign() async throws {
        let web = try await WebSide()
        let pushed = try await Self.push(web, ["prompt": "none"])
        let first = try await Pushed.bring(web, pushed, cookie: Self.signedIn(web))
        let cookies = try Self.cookies(web, first)
        let other = try await Pushed.bring(web, try await Self.push(web, [:]))
        let others = "\(Self.signedIn(web)); \(try Pushed.cookie(other))"
        try await web.expectNothingRecorded {
            for cookie in [others, Self.signedIn(web)] {
                #expect(try await Pushed.bring(web, pushed, cookie: cookie).status == 400)
            }
            let foreign = try await Pushed.bring(web, pushed, client: "other", cookie: cookies)
            #expect(foreign.status == 400)
        }
        #expect(try await DPoPTests.redeem(web, code: try first.code()).status == 200)
        let after = try await web.expectNothingRecorded {
            try await Pushed.bring(web, pushed, cookie: cookies)
        }
        #expect(after.status == 400)
        let late = try await Self.push(web, ["prompt": "none"])
        _ = try await Pushed.bring(web, late, cookie: cookies)
        web.side.clock.advance(seconds: 60)
        let tooLate = try await web.expectNothingRecorded {
            try await Pushed.bring(web, late, cookie: cookies)
        }
        #expect(tooLate.status == 400)
    }

    @Test("attack: the browser has lost its login since, or it has ended") func ended()
        async throws
    {
        let web = try await WebSide()
        let pushed = try await Self.push(web, ["prompt": "none"])
        let first = try await Pushed.bring(web, pushed, cookie: Self.signedIn(web))
        let (binding, cookies) = (try Pushed.cookie(first), try Self.cookies(web, first))
        try await web.expectNothingRecorded {
            #expect(try await Pushed.bring(web, pushed, cookie: binding).status == 400)
            let again = try await Pushed.bring(web, pushed, cookie: cookies)
            #expect(again.field("Location") == first.field("Location"))
        }
        try await web.side.run(BrowserSession.self, web.side.browserCookie.stream) {
            .end(.logout)
        }
        let late = try await web.expectNothingRecorded {
            try await Pushed.bring(web, pushed, cookie: cookies)
        }
        #expect(late.status == 400)
    }

    @Test("fifty loads in one browser: one request, one code") func race() async throws {
        let web = try await WebSide()
        let known = try await Pushed.bring(web, try await Self.push(web, [:]))
        let cookies = try Self.cookies(web, known)
        let pushed = try await Self.push(web, ["prompt": "none"])
        let reference = try #require(pushed["request_uri"]?.string)
        let locations = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await Pushed.bring(web, reference, cookie: cookies).field("Location")
                }
            }
            return try await group.reduce(into: Set<[String]>()) { $0.insert($1) }
        }
        #expect(locations.count == 1)
        #expect(locations.first?.first?.contains("code=") == true)
    }

    @Test("the colours are the pushed request's, each time; the URL's beside it count for nothing")
    func colours() async throws {
        let web = try await WebSide()
        let beside = "&x_color_scheme=light"
        let dark = try await Self.push(web, ["x_color_scheme": "dark"])
        let first = try await Pushed.bring(web, dark, more: beside)
        let page = try #require(first.field("Location").first)
        #expect(page.hasSuffix("&x_color_scheme=dark"))
        let cookie = try Pushed.cookie(first)
        let again = try await Pushed.bring(web, dark, cookie: cookie, more: beside)
        #expect(again.field("Location") == [page])
        for scheme in ["", "blue"] {
            let plain = try await Self.push(web, ["x_color_scheme": scheme])
            let answer = try await Pushed.bring(web, plain, more: beside)
            #expect(answer.field("Location").first?.contains("x_color_scheme") == false)
        }
        let refused = try await Pushed.bring(web, "urn:none", more: beside)
        #expect(refused.status == 400)
        #expect(!refused.body.contains("data-scheme"))
    }
}
