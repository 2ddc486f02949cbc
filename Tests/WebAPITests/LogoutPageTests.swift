import HTTPServer
import InMemory
import Issuing
import TestSupport
import Testing

@Suite("Logout over HTTP") struct LogoutPageTests {
    @Test("a button, the cookie gone, back to the client, as often as it is pressed") func button()
        async throws
    {
        var side = try await PageSide()
        let (page, link) = try await side.askForMail()
        _ = await side.send(.post, link)
        _ = await side.post("/login/complete", page.fields)
        let query =
            "client_id=web&state=s&post_logout_redirect_uri=https%3A%2F%2Fweb.example.com%2Fbye"
        let start = await side.get("/oauth2/end_session?\(query)")
        let confirm = await side.get(try #require(start.location))
        #expect(confirm.status == 200)
        let reference = try #require(start.location?.split(separator: "=").last)
        let form = "reference=\(reference)&\(confirm.fields)"
        #expect(await side.post("/logout", form, []).status == 403)
        let done = await side.post("/logout", form)
        #expect(done.status == 303 && done.location == "https://web.example.com/bye?state=s")
        let cookie = try #require(done.field("set-cookie").first)
        let gone = "__Host-chancery_session=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax"
        #expect(cookie == gone)
        let again = await side.post("/logout", form)
        #expect(again.status == 303 && again.location == done.location)
        let late = await side.get(try #require(start.location))
        #expect(late.status == 303 && late.location == done.location)
        let bare = await side.post("/logout", "")
        #expect(bare.status == 303 && bare.location == "/logout")
        let signedOut = await side.get("/logout")
        #expect(signedOut.attribute("data-result") == "signed_out")
        let posted = await side.post("/oauth2/end_session", query, [])
        #expect(posted.location?.hasPrefix("/oauth2/end_session?x_reference=") == true)
        let nothing = await side.get(try #require(posted.location))
        #expect(nothing.location == "https://web.example.com/bye?state=s")
        let foreign = await side.get("/oauth2/end_session?\(query)&reference=campaign7")
        #expect(foreign.location == "https://web.example.com/bye?state=s")
    }

    @Test(
        "attack: who comes next goes back to a consent page of before, and allows it",
        arguments: ["/oauth2/end_session", "/logout"]
    )
    func goneBack(_ path: String) async throws {
        var side = try await PageSide()
        let (page, link) = try await side.askForMail("third", ["x_sso_enabled": "false"])
        _ = await side.send(.post, link)
        let complete = await side.post("/login/complete", page.fields)
        let consent = await side.get(try #require(complete.location))
        #expect(consent.status == 200 && consent.body.contains("value=\"allow\""))
        #expect(side.cookies["__Host-chancery_session"] == nil)
        let names = side.cookies.keys.filter { $0.hasPrefix("__Host-chancery_tx_") }
        #expect(names.count == 1)
        let prefetched = await side.get(path, [("sec-purpose", "prefetch")])
        #expect(prefetched.status == 204 && prefetched.field("set-cookie").isEmpty)
        let done = await side.get(path)
        #expect(done.status == 200 && done.attribute("data-result") == "signed_out")
        for name in names {
            let gone = "\(name)=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax"
            #expect(done.field("set-cookie").contains(gone))
            #expect(side.cookies[name] == nil)
        }
        let pressed = await side.post("/consent", "\(consent.fields)&action=allow")
        #expect(pressed.status == 403 && pressed.location == nil)
    }

    @Test("an older tab's button, after a login in another: nobody is out, and the page leads on")
    func otherTab() async throws {
        var side = try await PageSide()
        try await side.signIn()
        let bye = "post_logout_redirect_uri=https%3A%2F%2Fweb.example.com%2Fbye"
        let start = await side.get("/oauth2/end_session?client_id=web&state=s&\(bye)")
        let target = try #require(start.location)
        let reference = try #require(target.split(separator: "=").last)
        let old = await side.get(target)
        side.side.clock.advance(seconds: 61)
        try await side.signIn(["prompt": "login"])
        let commits = side.side.store.commits.count
        let refused = await side.post("/logout", "reference=\(reference)&\(old.fields)")
        #expect(refused.status == 403 && refused.pageError == "access_denied")
        #expect(refused.attribute("<a href") == target)
        #expect(side.side.store.commits.count == commits)
        let made = await side.post("/logout", "reference=AAAA&\(old.fields)")
        #expect(made.status == 400 && made.attribute("<a href") == "/logout")
        let fresh = await side.get(target)
        let done = await side.post("/logout", "reference=\(reference)&\(fresh.fields)")
        #expect(done.location == "https://web.example.com/bye?state=s")
    }

    @Test("attack: a key held down in a popup presses no button of the page that signs out")
    func heldKey() async throws {
        var side = try await PageSide()
        try await side.signIn()
        let start = await side.get("/oauth2/end_session?client_id=web")
        let confirm = await side.get(try #require(start.location))
        #expect(confirm.body.contains(">Sign out</button>"))
        #expect(!confirm.body.contains("autofocus"))
    }
}
