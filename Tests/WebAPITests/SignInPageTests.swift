import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

@Suite("Sign-in pages over HTTP") struct SignInPageTests {
    static let origin = ("origin", PageSide.origin)

    @Test("from the authorization endpoint to the code, each answer in its form") func walk()
        async throws
    {
        var side = try await PageSide()
        let start = await side.get(PageSide.authorizeTarget())
        #expect(start.status == 303 && start.body.isEmpty)
        #expect(start.field("content-type") == ["text/html; charset=utf-8"])
        #expect(start.field("cache-control") == ["no-store"])
        let (page, link) = try await side.askForMail()
        #expect(page.status == 200 && page.field("refresh") == ["5"])
        let early = await side.post("/login/complete", page.fields)
        #expect(early.status == 303 && early.location?.hasPrefix("/login/wait?tx=") == true)
        let fallback = await side.get(link)
        #expect(fallback.status == 302)
        #expect(fallback.location?.hasPrefix("/flows/verify_login_link?client=web&token=") == true)
        let approval = await side.get(try #require(fallback.location))
        #expect(approval.status == 200)
        let approved = await side.post(
            "/flows/verify_login_link",
            "\(approval.fields)&action=approve"
        )
        #expect(approved.status == 303)
        let done = await side.get(try #require(approved.location))
        #expect(done.status == 200 && done.attribute("data-result") == "approved")
        let complete = await side.post("/login/complete", page.fields)
        #expect(complete.status == 303)
        #expect(complete.field("referrer-policy") == ["no-referrer"])
        let location = try #require(complete.location)
        #expect(location.hasPrefix("https://web.example.com/callback?code=ac_"))
        #expect(location.hasSuffix("&iss=https%3A%2F%2Fauth.example.com"))
        #expect(side.cookies["__Host-chancery_session"]?.hasPrefix("bs_") == true)
        let again = await side.post("/login/complete", page.fields)
        #expect(again.status == 303 && again.location == location)
        side.side.clock.advance(seconds: 60)
        let late = await side.post("/login/complete", page.fields)
        #expect(late.status == 400 && late.location == nil)
    }

    @Test("the headers of a page are those of the design, to the byte") func headers()
        async throws
    {
        var side = try await PageSide()
        let (page, _) = try await side.openLogin()
        let expected = [
            "content-security-policy":
                "default-src 'none'; style-src 'self'; img-src 'self'; "
                + "form-action 'self' https:; base-uri 'none'; "
                + "frame-ancestors 'none'",
            "x-frame-options": "DENY", "x-content-type-options": "nosniff",
            "referrer-policy": "same-origin", "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin", "cache-control": "no-store",
            "permissions-policy": "camera=(), microphone=(), geolocation=()",
            "content-type": "text/html; charset=utf-8",
        ]
        for (name, value) in expected { #expect(page.field(name) == [value], "\(name)") }
        #expect(page.field("server").isEmpty)
        #expect(page.field("x-request-id") == ["00000000000000010000000000000002"])
        #expect(page.body.contains("Reference 00000000000000010000000000000002"))
    }

    @Test("only the waiting page runs a script, named by its hash, and asks only us")
    func scriptPolicy() async throws {
        var side = try await PageSide()
        let (page, _) = try await side.askForMail()
        let policy = try #require(page.field("content-security-policy").first)
        let integrity = try #require(page.attribute("integrity"))
        #expect(policy.hasSuffix("; script-src '\(integrity)'; connect-src 'self'"))
        #expect(integrity.hasPrefix("sha256-") && integrity.utf8.count == 51)
        let script = await side.get(try #require(page.attribute("script src")))
        #expect(script.status == 200 && script.body.utf8.count < 2048)
        #expect(script.field("cache-control") == ["public, max-age=31536000, immutable"])
        let other = await side.get("/assets/waiting.0000000000000000.js")
        #expect(other.status == 404)
    }

    @Test("cookies are host-only, secure, for scripts invisible; two of a name are none")
    func cookies() async throws {
        var side = try await PageSide()
        let start = await side.get(PageSide.authorizeTarget())
        let cookie = try #require(start.field("set-cookie").first)
        let name = String(cookie.prefix { $0 != "=" })
        #expect(name.hasPrefix("__Host-chancery_tx_"))
        #expect(cookie.hasPrefix("\(name)=tx_"))
        #expect(cookie.hasSuffix("; Path=/; Max-Age=3600; Secure; HttpOnly; SameSite=Lax"))
        let value = try #require(side.cookies[name])
        let login = try #require(start.location)
        #expect(await side.get(login).status == 200)
        side.cookies = [:]
        #expect(await side.get(login).status == 404)
        let twice = "\(name)=\(value); \(name)=\(value)"
        #expect(await side.get(login, [("cookie", twice)]).status == 404)
        let malformed = "\(name)=\(value)x"
        #expect(await side.get(login, [("cookie", malformed)]).status == 404)
        #expect(await side.get(login, [("cookie", "a=b;\(name)=\(value)")]).status == 200)
    }

    static let sources: [(String, [(name: String, value: String)], Bool)] = [
        ("our own origin", [("origin", PageSide.origin)], true),
        ("a browser that says same-origin", [("sec-fetch-site", "same-origin")], true),
        ("typed in by hand", [("sec-fetch-site", "none")], true),
        ("a sibling host", [("sec-fetch-site", "same-site"), ("origin", PageSide.origin)], false),
        ("another site", [("sec-fetch-site", "cross-site")], false),
        ("another origin", [("origin", "https://evil.example")], false),
        ("a privacy-sensitive context", [("origin", "null")], false),
        ("nobody says", [], false),
        ("two at once", [("sec-fetch-site", "none"), ("sec-fetch-site", "none")], false),
    ]

    @Test("a form counts only from a page of ours", arguments: sources)
    func sameOrigin(_ row: (String, [(name: String, value: String)], Bool)) async throws {
        var side = try await PageSide()
        let (_, fields) = try await side.openLogin()
        let before = side.side.store.commits.count
        let answer = await side.post("/login", "\(fields)&email=a%40example.com", row.1)
        #expect(answer.status == (row.2 ? 303 : 403), "\(row.0)")
        #expect(answer.pageError == (row.2 ? nil : "access_denied"))
        #expect((side.side.store.commits.count > before) == row.2)
    }

    @Test("a form token of another page, of another browser or of none is refused")
    func formTokens() async throws {
        var side = try await PageSide()
        let (page, _) = try await side.askForMail()
        let tx = try #require(page.fields.split(separator: "&").first)
        for token in ["", "&form_token=", "&form_token=AAAA"] {
            let answer = await side.post("/login/complete", "\(tx)\(token)")
            #expect(answer.status == 403)
        }
        #expect(await side.post("/login/cancel", page.fields).status == 403)
        side.cookies = [:]
        #expect(await side.post("/login/complete", page.fields).status == 403)
    }

    @Test("what is no address comes back on the form, escaped") func malformedAddress()
        async throws
    {
        var side = try await PageSide()
        let (_, fields) = try await side.openLogin()
        let typed = "%3Cscript%3E%22%26%27"
        let answer = await side.post("/login", "\(fields)&email=\(typed)")
        #expect(answer.status == 400)
        #expect(
            answer.body.contains("value=\"&lt;script&gt;&quot;&amp;&#39;\" aria-invalid=\"true\"")
        )
        #expect(!answer.body.contains("<script"))
    }

    @Test("a cross-site POST is sent on as a GET with the same meaning") func posted() async throws
    {
        var side = try await PageSide()
        let query = PageSide.query()
        let sent = await side.post("/oauth2/authorize", "\(query)&vendor=x", [])
        #expect(sent.status == 303)
        let reference = try #require(sent.location)
        #expect(reference.hasPrefix("/oauth2/authorize?x_reference="))
        #expect(await side.get(reference).location?.hasPrefix("/login?tx=") == true)
        // Somebody else's word of that kind is ignored.
        let foreign = await side.get(PageSide.authorizeTarget() + "&reference=campaign7")
        #expect(foreign.location?.hasPrefix("/login?tx=") == true)
        side.side.clock.advance(seconds: 300)
        #expect(await side.get(reference).status == 400)
        let withQuery = await side.post("/oauth2/authorize?client_id=web", query, [])
        #expect(withQuery.status == 400)
        let large = query + "&scope=" + String(repeating: "s", count: 6000)
        #expect(await side.post("/oauth2/authorize", large, []).status == 400)
    }

    @Test("HEAD and OPTIONS change nothing") func methods() async throws {
        var side = try await PageSide()
        let head = await side.send(.head, PageSide.authorizeTarget())
        #expect(head.status == 204 && head.field("set-cookie").isEmpty)
        #expect(await side.send(.head, "/oauth2/end_session").status == 204)
        let options = await side.send(.options, "/oauth2/authorize")
        #expect(options.field("allow") == ["GET, POST, HEAD, OPTIONS"])
        #expect(await side.send(.get, "/login/cancel").status == 405)
        #expect(side.side.store.commits.isEmpty)
    }

    @Test("a caller that wants JSON gets the same refusal as JSON") func asJSON() async throws {
        var side = try await PageSide()
        let target = PageSide.authorizeTarget("nobody")
        let page = await side.get(target, [("accept", "text/html,application/json")])
        #expect(page.status == 400 && page.pageError == "invalid_client")
        #expect(page.attribute("data-request-id") == "00000000000000010000000000000002")
        let json = await side.get(target, [("accept", "application/json")])
        #expect(json.status == 400 && json.error == "invalid_client")
    }

    @Test("a colour asked for goes along to every page") func colours() async throws {
        var side = try await PageSide()
        let (page, fields) = try await side.openLogin("web", ["x_color_scheme": "dark"])
        #expect(page.attribute("data-scheme") == "dark")
        #expect(page.body.contains("name=\"x_color_scheme\" value=\"dark\""))
        let sent = await side.post(
            "/login",
            "\(fields)&email=a%40example.com&x_color_scheme=dark"
        )
        #expect(sent.location?.hasSuffix("&x_color_scheme=dark") == true)
        let posted = await side.post(
            "/oauth2/authorize",
            PageSide.query("web", ["x_color_scheme": "dark"]),
            []
        )
        let referred = await side.get(try #require(posted.location))
        #expect(referred.location?.hasSuffix("&x_color_scheme=dark") == true)
        let refused = await side.get(PageSide.authorizeTarget("no", ["x_color_scheme": "dark"]))
        #expect(refused.status == 400 && refused.attribute("data-scheme") == "dark")
        let (plain, _) = try await side.openLogin("web", ["x_color_scheme": "\"><script>"])
        #expect(plain.attribute("data-scheme") == nil && !plain.body.contains("<script"))
    }

    @Test("the scheme of the redirect URI is in the policy, which any browser can read")
    func policies()
        async throws
    {
        var side = try await PageSide()
        side.side.reconfigure { settings in
            settings.clients[1].redirectURIs = [
                "com.example.app:/cb", "http://127.0.0.1/cb", "http://[::1]/cb",
                "https://app.example.com/cb",
            ]
            .compactMap { RedirectURI($0) }
        }
        for (uri, source) in [
            ("com.example.app:/cb", "com.example.app:"),
            ("http://127.0.0.1:7777/cb", "http:"), ("http://[::1]:7777/cb", "http:"),
            ("https://app.example.com/cb", "https:"),
        ] {
            let (page, _) = try await side.openLogin("app", ["redirect_uri": uri])
            let policy = page.field("content-security-policy").first ?? ""
            #expect(policy.contains("form-action 'self' \(source);"))
        }
    }

    @Test("form_post is a page whose form holds the answer") func formPost() async throws {
        var side = try await PageSide()
        let target = PageSide.authorizeTarget(
            "web",
            ["prompt": "none", "response_mode": "form_post"]
        )
        let page = await side.get(target)
        #expect(page.status == 200)
        #expect(page.body.contains("action=\"https://web.example.com/callback\""))
        #expect(page.body.contains("name=\"state\" value=\"a state with spaces &amp; signs\""))
        #expect(page.body.contains("name=\"error\" value=\"login_required\""))
    }

    @Test("too many visits of one address are a page with a time to wait") func limit()
        async throws
    {
        var side = try await PageSide(limits: [.page: .init(perMinute: 60, burst: 2)])
        _ = await side.get("/login")
        _ = await side.get("/login")
        let answer = await side.get("/login")
        #expect(answer.status == 429 && answer.pageError == "x_rate_limited")
        #expect(answer.field("retry-after") == ["1"])
    }

    @Test("so are too many visits for one client, from wherever") func limitOfClient()
        async throws
    {
        var side = try await PageSide(limits: [.pagePerClient: .init(perMinute: 60, burst: 1)])
        let first = await side.get(PageSide.authorizeTarget())
        #expect(first.status == 303)
        let second = await side.get(PageSide.authorizeTarget())
        #expect(second.status == 429 && second.pageError == "x_rate_limited")
        #expect(second.field("retry-after") == ["1"])
        #expect(await side.get(PageSide.authorizeTarget("app")).status != 429)
    }

    @Test("without the log there is a page that says try again") func unavailable() async throws {
        var side = try await PageSide()
        side.side.store.fail(.unavailable)
        let answer = await side.get(PageSide.authorizeTarget())
        #expect(answer.status == 503 && answer.pageError == "temporarily_unavailable")
        #expect(answer.field("retry-after") == ["1"])
        #expect(answer.location == nil)
    }
}
