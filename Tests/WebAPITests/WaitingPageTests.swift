import Domain
import Foundation
import HTTPServer
import InMemory
import Issuing
import TestSupport
import Testing

@Suite("The waiting page over HTTP") struct WaitingPageTests {
    /// A login at the client that must ask for a consent, which waits for it.
    private static func loggedIn(_ side: inout PageSide) async throws -> (wait: String, tx: String)
    {
        let (page, link) = try await side.askForMail("third")
        _ = await side.send(.post, link)
        let done = await side.post("/login/complete", page.fields)
        #expect(done.location?.hasPrefix("/consent?tx=") == true)
        let tx = try #require(page.fields.split(separator: "&").first)
        return ("/login/wait?\(tx)", String(tx))
    }

    @Test("who goes back from the consent to the waiting page gets there again by its button")
    func backFromConsent() async throws {
        var side = try await PageSide()
        let (wait, tx) = try await Self.loggedIn(&side)
        let page = await side.get(wait)
        #expect(page.status == 200 && page.body.contains("action=\"/login/complete\""))
        let again = await side.post("/login/complete", page.fields)
        #expect(again.status == 303 && again.location == "/consent?\(tx)")
        side.side.clock.advance(seconds: 1800)
        let late = await side.get(wait)
        #expect(late.status == 200 && !late.body.contains("<form"))
    }

    @Test("who goes back to the form for the address is led on to the consent, without a mail")
    func backToLogin() async throws {
        var side = try await PageSide()
        let (_, fields) = try await side.openLogin("third")
        let sent = await side.post("/login", "\(fields)&email=ada%40example.com")
        let page = await side.get(try #require(sent.location))
        _ = try await side.side.mails.run(by: Fixture.noDeadline)
        let link = try #require(side.side.mailQueue.sent.last).link.dropFirst(PageSide.origin.count)
        _ = await side.send(.post, String(link))
        _ = await side.post("/login/complete", page.fields)
        let tx = try #require(fields.split(separator: "&").first)
        let back = await side.get("/login?\(tx)")
        #expect(back.status == 303 && back.location == "/consent?\(tx)")
        side.side.clock.advance(seconds: 61)
        let commits = side.side.store.commits.count
        let posted = await side.post("/login", "\(fields)&email=ada%40example.com")
        #expect(posted.status == 303 && posted.location == "/consent?\(tx)")
        #expect(side.side.store.commits.count == commits && side.side.mailQueue.due.isEmpty)
        #expect(side.side.mailQueue.sent.count == 1)
    }

    @Test("a new link and a way out are offered for as long as the request may go on")
    func expired() async throws {
        var side = try await PageSide()
        let (first, _) = try await side.askForMail()
        let tx = try #require(first.fields.split(separator: "&").first)
        side.side.clock.advance(seconds: 601)
        let early = await side.get("/login/wait?\(tx)")
        #expect(early.attribute("data-status") == "expired")
        #expect(early.body.contains("Send a new link") && early.body.contains("Cancel"))
        side.side.clock.advance(seconds: 1199)
        let late = await side.get("/login/wait?\(tx)")
        #expect(late.attribute("data-status") == "expired")
        #expect(!late.body.contains("Send a new link") && !late.body.contains("<form"))
        #expect(late.body.contains("Go back to the application and begin again."))
    }

    @Test("an approval that lets nobody in any more is no button, but the way to a new link")
    func approvedTooLate() async throws {
        var side = try await PageSide()
        let (first, link) = try await side.askForMail()
        let tx = try #require(first.fields.split(separator: "&").first)
        side.side.clock.advance(seconds: 61)
        var owner = side
        owner.cookies = [:]
        let (page, newer) = try await owner.askForMail()
        for approved in [newer, link] {
            #expect(await owner.send(.post, approved).status == 200)
        }
        #expect(await side.get("/login/wait?\(tx)").body.contains("<h1>Approved</h1>"))
        // Of the two the one that goes on first makes the user.
        let done = await owner.post("/login/complete", page.fields)
        #expect(done.location?.contains("code=") == true)
        // The button of before leads who came too late to the way on, and who came first on again.
        let pressed = await side.post("/login/complete", first.fields)
        #expect(pressed.status == 303 && pressed.location == "/login/wait?\(tx)")
        let again = await owner.post("/login/complete", page.fields)
        #expect(again.location == done.location)
        #expect(await side.get("/login/status?\(tx)").body.contains("\"expired\""))
        let late = await side.get("/login/wait?\(tx)")
        #expect(late.attribute("data-status") == "expired")
        #expect(late.body.contains("Send a new link") && !late.body.contains("/login/complete"))
    }

    @Test("after another mail a person waits a minute again before the next") func resent()
        async throws
    {
        var side = try await PageSide()
        let (first, _) = try await side.askForMail()
        #expect(first.attribute("data-resend") == "60")
        let tx = try #require(first.fields.split(separator: "&").first)
        side.side.clock.advance(seconds: 61)
        let page = await side.get("/login/wait?\(tx)")
        #expect(page.attribute("data-resend") == "0")
        let forms = page.body.components(separatedBy: "<form")
        let form = try #require(forms.first { $0.contains("/login/resend") })
        let token = try #require(form.components(separatedBy: "form_token\" value=\"").last)
        let fields = "\(tx)&form_token=\(token.prefix { $0 != "\"" })"
        #expect(await side.post("/login/resend", fields).status == 303)
        #expect(await side.get("/login/wait?\(tx)").attribute("data-resend") == "60")
        _ = try await side.side.mails.run(by: Fixture.noDeadline)
        side.side.clock.advance(seconds: 20)
        #expect(await side.get("/login/wait?\(tx)").attribute("data-resend") == "40")
        #expect(side.side.mailQueue.sent.count == 2)
    }

    @Test("a page that an app opens beside carries what it says then", arguments: [true, false])
    func besideApp(_ opensApp: Bool) async throws {
        var side = try await PageSide()
        let (page, _) = try await side.askForMail(
            "app",
            opensApp ? ["redirect_uri": "com.example.app:/callback"] : [:]
        )
        #expect(page.attribute("data-app") == (opensApp ? "Approved" : nil))
        #expect((page.attribute("data-beside") != nil) == opensApp)
    }
}
