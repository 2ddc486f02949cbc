import HTTPServer
import InMemory
import Issuing
import TestSupport
import Testing
import WebAPI

/// What people do late, again or in the wrong order at the pages of a sign-in.
@Suite("An untimely visit") struct UntimelyVisitTests {
    private static let address = "email=ada%40example.com"

    @Test("the address sent again keeps the login that was approved since") func sentAgain()
        async throws
    {
        for seconds: Int64 in [1, 61] {
            var side = try await PageSide()
            let (_, fields) = try await side.openLogin()
            let sent = await side.post("/login", "\(fields)&\(Self.address)")
            let wait = try #require(sent.location)
            _ = try await side.side.mails.run(by: Fixture.noDeadline)
            let link = try #require(side.side.mailQueue.sent.last).link
            _ = await side.send(.post, String(link.dropFirst(PageSide.origin.count)))
            side.side.clock.advance(seconds: seconds)
            let commits = side.side.store.commits.count
            let again = await side.post("/login", "\(fields)&\(Self.address)")
            #expect(again.status == 303 && again.location == wait)
            #expect(side.side.store.commits.count == commits)
            let page = await side.get(wait)
            #expect(page.body.contains("<h1>Approved</h1>"))
            let done = await side.post("/login/complete", page.fields)
            #expect(done.location?.contains("code=") == true)
        }
    }

    @Test("another address, or the same one after the link has expired, gets a new link")
    func otherAddress() async throws {
        for (form, seconds) in [("email=eve%40example.com", 61 as Int64), (Self.address, 601)] {
            var side = try await PageSide()
            let (_, fields) = try await side.openLogin()
            _ = await side.post("/login", "\(fields)&\(Self.address)")
            _ = try await side.side.mails.run(by: Fixture.noDeadline)
            let link = try #require(side.side.mailQueue.sent.last).link
            _ = await side.send(.post, String(link.dropFirst(PageSide.origin.count)))
            side.side.clock.advance(seconds: seconds)
            #expect(await side.post("/login", "\(fields)&\(form)").status == 303)
            _ = try await side.side.mails.run(by: Fixture.noDeadline)
            #expect(side.side.mailQueue.sent.count == 2)
        }
    }

    @Test("the button of a logout works for as long as its page says") func lateLogout()
        async throws
    {
        var side = try await PageSide()
        let (page, link) = try await side.askForMail()
        _ = await side.send(.post, link)
        _ = await side.post("/login/complete", page.fields)
        let start = await side.get("/oauth2/end_session?client_id=web")
        let confirm = await side.get(try #require(start.location))
        let reference = try #require(start.location?.split(separator: "=").last)
        let form = "reference=\(reference)&\(confirm.fields)"
        side.side.clock.advance(seconds: 1799)
        #expect(await side.post("/logout", form).location == "/logout")
        #expect(await side.get("/settings").status == 403)
        side.side.clock.advance(seconds: 1)
        #expect(await side.post("/logout", form).pageError == "invalid_request")
    }

    @Test("who refuses a login twice hears twice that it is refused, and is no attacker")
    func refusedTwice() async throws {
        var side = try await PageSide(limits: [.failedLink: .init(perMinute: 1)])
        let (_, link) = try await side.askForMail()
        let opened = await side.get(link)
        let page = await side.get(try #require(opened.location))
        let form = "\(page.fields)&action=deny"
        for _ in 0..<3 {
            let done = await side.post("/flows/verify_login_link", form)
            #expect(await side.outcome(of: done) == "denied")
        }
        // What the log shows may be lost yet (decision 0234).
        side.side.store.isUnconfirmed = true
        #expect(await side.post("/flows/verify_login_link", form).status == 503)
        side.side.store.isUnconfirmed = false
        let approval = "\(page.fields)&action=approve"
        let late = await side.post("/flows/verify_login_link", approval)
        #expect(late.status == 400 && late.pageError == "invalid_request")
    }

    @Test("a wrong number ends the request: its page leads back, with the refusal")
    func wrongNumber() async throws {
        var side = try await PageSide()
        let (page, link) = try await side.askForMail("confirming")
        var phone = side
        phone.cookies = [:]
        let opened = await phone.get(link)
        let shown = await phone.get(try #require(opened.location))
        let number = try #require(
            page.body.split(separator: "<strong>").compactMap { text in
                Int(text.prefix(2))
            }.first
        )
        let wrong = number == 11 ? 12 : 11
        let form = "\(shown.fields)&action=approve&number=\(wrong)"
        for _ in 0..<2 {
            let done = await phone.post("/flows/verify_login_link", form)
            #expect(await phone.outcome(of: done) == "wrong_number")
            let told = await phone.get(try #require(done.location))
            #expect(told.body.contains("<h1>That was another number</h1>"))
        }
        // Who says "no" to what has ended so hears that it is refused.
        let no = await phone.post("/flows/verify_login_link", "\(shown.fields)&action=deny")
        #expect(await phone.outcome(of: no) == "denied")
        let tx = try #require(page.fields.split(separator: "&").first)
        let over = await side.get("/login/wait?\(tx)")
        #expect(over.attribute("data-status") == "denied")
        #expect(!over.body.contains("Send a new link"))
        #expect(await side.get("/login?\(tx)").status == 400)
        let back = await side.post("/login/cancel", over.fields)
        #expect(back.location?.contains("error=access_denied") == true)
    }

    @Test("who says it was not them ends the request: it leads back, and sends no other mail")
    func notMe() async throws {
        var side = try await PageSide()
        let login = try await side.openLogin()
        let form = "\(login.fields)&email=ada%40example.com"
        let waiting = try #require(await side.post("/login", form).location)
        _ = try await side.side.mails.run(by: Fixture.noDeadline)
        let link = try #require(side.side.mailQueue.sent.last).link
        let path = String(link.dropFirst(PageSide.origin.count))
        var (phone, page) = try await side.elsewhere(opening: path)
        let refusal = "\(page.fields)&action=deny"
        let done = await phone.post("/flows/verify_login_link", refusal)
        #expect(await phone.outcome(of: done) == "denied")
        // A minute later another mail might go out.
        side.side.clock.advance(seconds: 61)
        let over = await side.get(waiting)
        #expect(over.attribute("data-status") == "denied")
        #expect(!over.body.contains("Send a new link"))
        let tx = try #require(waiting.split(separator: "?").last)
        #expect(await side.get("/login?\(tx)").status == 400)
        let back = await side.post("/login/cancel", over.fields)
        #expect(back.location?.contains("error=access_denied") == true)
        for _ in 0..<2 {
            let late = await side.post("/login", form)
            #expect(late.status == 303 && late.location == back.location)
        }
        // Nor does it cost another address its mail of this minute.
        let others = "\(login.fields)&email=grace%40example.com"
        #expect(await side.post("/login", others).location == back.location)
        #expect(side.side.mailQueue.due.isEmpty)
        #expect(side.side.mailQueue.sent.count == 1)
        var grace = side
        grace.cookies = [:]
        let own = try await grace.openLogin()
        _ = await grace.post("/login", "\(own.fields)&email=grace%40example.com")
        _ = try await side.side.mails.run(by: Fixture.noDeadline)
        #expect(side.side.mailQueue.sent.count == 2)
    }

    @Test("an app's page keeps its button for who did not let the app open") func appNotOpened()
        async throws
    {
        var side = try await PageSide()
        let scheme = ["redirect_uri": "com.example.app:/callback"]
        let (page, link) = try await side.askForMail("app", scheme)
        _ = await side.send(.post, link)
        let done = await side.post("/login/complete", page.fields)
        #expect(done.location?.contains("code=") == true)
        let tx = try #require(page.fields.split(separator: "&").first)
        let again = await side.get("/login/wait?\(tx)")
        #expect(again.body.contains("You are signed in"))
        #expect(await side.post("/login/complete", again.fields).location == done.location)
        side.side.clock.advance(seconds: 1800)
        #expect(await !side.get("/login/wait?\(tx)").body.contains("<form"))
    }

    @Test("where the login counts no more, the page about the account leads to a new one")
    func countsNoMore() async throws {
        var side = try await PageSide()
        try await side.signIn()
        side.side.clock.advance(seconds: 55)
        let changes = ["max_age": "60", "prompt": "select_account"]
        let start = await side.get(PageSide.authorizeTarget("web", changes))
        let shown = try #require(start.location)
        #expect(shown.hasPrefix("/continue?tx="))
        #expect(await side.get(shown).status == 200)
        side.side.clock.advance(seconds: 10)
        let late = await side.get(shown)
        #expect(late.status == 303)
        #expect(late.location == shown.replacing("/continue?", with: "/login?"))
    }
}
