import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

/// Requests that a browser begins before it has any cookie: each answer brings a secret.
@Suite("Several first tabs of one browser") struct FirstTabsTests {
    /// A browser that began `count` requests at once, where each goes on, and its cookie's name.
    private static func tabs(_ count: Int, _ client: String = "web")
        async throws -> (browser: PageSide, pages: [String], names: [String])
    {
        var browser = try await PageSide()
        var cookies: [String: String] = [:]
        var pages: [String] = []
        var names: [String] = []
        while pages.count < count {
            browser.cookies = [:]
            let start = await browser.get(PageSide.authorizeTarget(client))
            let name = try #require(browser.cookies.keys.first)
            // One of 64: two may meet, and that is not what these tests are about.
            guard cookies[name] == nil else { continue }
            pages.append(try #require(start.location))
            names.append(name)
            cookies.merge(browser.cookies) { $1 }
        }
        browser.cookies = cookies
        return (browser, pages, names)
    }

    @Test("none locks another out: each logs in") func logIn() async throws {
        let (first, pages, _) = try await Self.tabs(3)
        var browser = first
        for page in pages {
            let login = await browser.get(page)
            #expect(login.status == 200)
            let sent = await browser.post("/login", "\(login.fields)&email=ada%40example.com")
            let waiting = await browser.get(try #require(sent.location))
            #expect(waiting.status == 200)
            _ = try await browser.side.mails.run(by: Fixture.noDeadline)
            let link = try #require(browser.side.mailQueue.sent.last).link
            _ = await browser.send(.post, String(link.dropFirst(PageSide.origin.count)))
            let done = await browser.post("/login/complete", waiting.fields)
            #expect(done.location?.contains("code=") == true, "\(done.body)")
            // Pressed twice, it is still this browser's.
            let again = await browser.post("/login/complete", waiting.fields)
            #expect(again.location == done.location)
            browser.side.clock.advance(seconds: 61)
        }
    }

    @Test("the same in any order, and each may be given up") func cancel() async throws {
        let (first, pages, _) = try await Self.tabs(3)
        var browser = first
        for page in pages.reversed() {
            let login = await browser.get(page)
            let form = try #require(login.body.split(separator: "/login/cancel").last)
            let cancel = Answer(status: 200, body: String(form), field: { _ in [] })
            let back = await browser.post("/login/cancel", cancel.fields)
            #expect(back.location?.contains("error=access_denied") == true)
        }
    }

    @Test("the newest mail of all of them ends the older ones, as it does of one") func newest()
        async throws
    {
        for isReversed in [false, true] {
            let (first, pages, _) = try await Self.tabs(2)
            var browser = first
            var (waiting, links): ([String], [String]) = ([], [])
            for page in isReversed ? pages.reversed() : pages {
                let login = await browser.get(page)
                let sent = await browser.post("/login", "\(login.fields)&email=ada%40example.com")
                waiting.append(try #require(sent.location))
                _ = try await browser.side.mails.run(by: Fixture.noDeadline)
                let link = try #require(browser.side.mailQueue.sent.last).link
                links.append(String(link.dropFirst(PageSide.origin.count)))
                browser.side.clock.advance(seconds: 61)
            }
            #expect(await browser.get(waiting[0]).attribute("data-status") == "expired")
            #expect(await browser.get(waiting[1]).body.contains("Check your e-mail"))
            #expect(await browser.send(.post, links[0]).status == 403)
            #expect(await browser.send(.post, links[1]).status == 200)
        }
    }

    @Test("load a pushed request again, each by its own secret") func pushed() async throws {
        let web = try await WebSide()
        var taken: [(request: Answer, page: String, cookie: String)] = []
        while taken.count < 2 {
            let request = try await PushedRequestTests.push(web)
            let first = try await PushedRequestTests.bring(web, request)
            let cookie = try PushedRequestTests.cookie(first)
            let name = cookie.prefix { $0 != "=" }
            guard !taken.contains(where: { $0.cookie.hasPrefix(name) }) else { continue }
            taken.append((request, try #require(first.location), cookie))
        }
        let cookies = taken.map { $0.cookie }
        let orders: [[String]] = [cookies, cookies.reversed()]
        for order in orders {
            for tab in taken {
                let again = try await PushedRequestTests.bring(
                    web,
                    tab.request,
                    cookie: order.joined(separator: "; ")
                )
                #expect(again.status == 303)
                #expect(again.location == tab.page)
            }
        }
    }

    @Test("is the device that asked, whichever of them it was") func sameDevice() async throws {
        for index in 0..<2 {
            let (first, pages, _) = try await Self.tabs(2, "confirming")
            var browser = first
            let login = await browser.get(pages[index])
            _ = await browser.post("/login", "\(login.fields)&email=ada%40example.com")
            _ = try await browser.side.mails.run(by: Fixture.noDeadline)
            let link = try #require(browser.side.mailQueue.sent.last).link
            let opened = await browser.get(String(link.dropFirst(PageSide.origin.count)))
            let page = await browser.get(try #require(opened.location))
            #expect(!page.body.contains("name=\"number\""))
            let form = "\(page.fields)&action=approve"
            let done = await browser.post("/flows/verify_login_link", form)
            #expect(await browser.outcome(of: done) == "approved")
        }
    }

    @Test(
        "may begin to log in between the page of a link and the press of its button",
        arguments: [("approve", "approved"), ("deny", "denied")]
    ) func pressesMeanwhile(action: String, result: String) async throws {
        var asking = try await PageSide()
        let (waiting, link) = try await asking.askForMail("confirming")
        var (phone, page) = try await asking.elsewhere(opening: link)
        _ = await phone.get(PageSide.authorizeTarget())
        #expect(!phone.cookies.isEmpty)
        let number = try #require(waiting.number)
        let form = "\(page.fields)&action=\(action)&number=\(number)"
        let done = await phone.post("/flows/verify_login_link", form)
        #expect(await phone.outcome(of: done) == result)
    }

    @Test("gets no more cookies once it has one, and all are looked at, each page's renewed")
    func bounded() async throws {
        let (first, pages, names) = try await Self.tabs(20)
        var browser = first
        let before = Set(browser.cookies.keys)
        _ = await browser.get(PageSide.authorizeTarget())
        #expect(Set(browser.cookies.keys) == before)
        #expect(before.count == 20)
        for (page, name) in zip(pages, names) {
            let login = await browser.get(page)
            #expect(login.status == 200)
            #expect(login.field("set-cookie").count == 1)
            #expect(login.field("set-cookie").first?.hasPrefix("\(name)=") == true)
        }
        #expect(Set(browser.cookies.keys) == before)
    }

    @Test("attack: a request of somebody else's, whatever cookies this browser has") func foreign()
        async throws
    {
        let (first, _, names) = try await Self.tabs(2)
        var (browser, attacker) = (first, first)
        var start: Answer
        repeat {
            attacker.cookies = [:]
            start = await attacker.get(PageSide.authorizeTarget())
        } while names.contains(where: { attacker.cookies[$0] != nil })
        let page = try #require(start.location)
        let login = await attacker.get(page)
        #expect(login.status == 200)
        #expect(await browser.get(page).status == 404)
        let form = "\(login.fields)&email=mallory%40example.com"
        #expect(await browser.post("/login", form).status == 403)
        // Its cookie under another one's name is none.
        let value = try #require(attacker.cookies.values.first)
        let name = try #require(browser.cookies.keys.min())
        #expect(!attacker.cookies.keys.contains(name))
        browser.cookies[name] = value
        #expect(await browser.get(page).status == 404)
        browser.cookies = [name: value]
        #expect(await browser.get(page).status == 404)
    }
}
