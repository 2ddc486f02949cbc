import HTTPServer
import InMemory
import Issuing
import OAuth
import Runtime
import TestSupport
import Testing
import WebAPI

@Suite("Approval by app and by link page") struct LoginLinkRouteTests {
    private func reason(_ answer: Answer) -> String? { answer["error"]?["reason"]?.string }

    @Test("an app approves with the link as it received it, twice with the same answer")
    func native() async throws {
        var side = try await PageSide()
        let (page, link) = try await side.askForMail()
        var phone = side
        phone.cookies = [:]
        for _ in 0..<2 {
            let answer = await phone.send(.post, link)
            #expect(answer.status == 200)
            #expect(answer["result"]?["status"]?.string == "approved")
        }
        #expect(await side.post("/login/complete", page.fields).location?.contains("code=") == true)
        #expect(await phone.send(.post, link).status == 200)
    }

    @Test("the token may be a form field") func asForm() async throws {
        var side = try await PageSide()
        let (_, link) = try await side.askForMail()
        let parts = link.split(separator: "?").map(String.init)
        let answer = await side.post(parts[0], parts[1], [])
        #expect(answer["result"]?["status"]?.string == "approved")
    }

    static let browsers = [
        "origin", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest", "sec-fetch-user",
        "sec-fetch-storage-access", "sec-fetch-frame-top",
    ]

    @Test("a scanner that drives a browser approves nothing", arguments: browsers)
    func browser(_ header: String) async throws {
        var side = try await PageSide()
        let (_, link) = try await side.askForMail()
        let before = side.side.store.commits.count
        let answer = await side.send(.post, link, [(header, "none")])
        #expect(answer.status == 403 && reason(answer) == "AccessDenied")
        #expect(side.side.store.commits.count == before)
    }

    @Test("GET and HEAD of the link and its page change nothing") func scanner() async throws {
        var side = try await PageSide()
        let (_, link) = try await side.askForMail()
        let before = side.side.store.commits.count
        for method in [WebAPI.Method.get, .head] {
            let first = await side.send(method, link)
            _ = await side.send(method, try #require(first.location))
        }
        #expect(side.side.store.commits.count == before)
    }

    @Test("who follows the link while the node cannot answer sees a page, and the app its envelope")
    func unavailable() async throws {
        var side = try await PageSide()
        let (_, link) = try await side.askForMail()
        side.side.clock.distrust("an hour ahead")
        let page = await side.get(link)
        #expect(page.status == 503 && page.pageError == "temporarily_unavailable")
        let answer = await side.send(.post, link)
        #expect(answer.status == 503 && reason(answer) == "ServiceUnavailable")
        for (method, part) in [("GET", "<!DOCTYPE html>"), ("POST", #""ServiceUnavailable""#)] {
            let bytes = "\(method) \(link) HTTP/1.1\r\n"
            let refused = RefusedRequest(.serviceUnavailable, reading: Array(bytes.utf8).span)
            let response = side.api.refused(refused, from: Peer(.loopback(port: 1)))
            #expect(String(decoding: response.body, as: UTF8.self).contains(part))
        }
    }

    @Test("attack: an app's posts are counted like pages, also those that do not fail")
    func counted() async throws {
        let rate = RequestLimit.Rate(perMinute: 60, burst: 2)
        var side = try await PageSide(limits: [.page: rate])
        let path = "/clients/web/flows/verify_login_link"
        for _ in 0..<2 { #expect(await side.post(path, "token=", []).status != 429) }
        let third = await side.post(path, "token=", [])
        #expect(third.status == 429 && reason(third) == "RateLimited")
        #expect(third.field("retry-after") == ["1"])
    }

    @Test("unknown, altered and foreign links are one answer") func dead() async throws {
        var side = try await PageSide()
        let (_, link) = try await side.askForMail()
        let foreign = "/clients/app/" + link.split(separator: "/", maxSplits: 2)[2]
        let unknown =
            "/clients/web/flows/verify_login_link?token=ll_\(String(repeating: "A", count: 64))"
        for target in [String(link.dropLast()) + "_", foreign, unknown, "\(unknown)AA"] {
            let answer = await side.send(.post, target)
            #expect(answer.status == 403 && reason(answer) == "InvalidLoginLink", "\(target)")
        }
        let page = await side.get("/flows/verify_login_link?client=web&token=ll_x")
        #expect(page.status == 400 && page.pageError == "invalid_request")
        let nobody = await side.get("/clients/nobody/flows/verify_login_link?token=x")
        let disabled = await side.get("/clients/disabled/flows/verify_login_link?token=x")
        #expect(nobody.status == 404 && disabled.status == 404)
        #expect(await side.get("/clients/web/flows/verify_login_link").status == 404)
    }

    @Test("the fallback keeps the token, escaped, and nothing else") func fallback() async throws {
        var side = try await PageSide()
        let target = "/clients/web/flows/verify_login_link?token=a%26b%0A&x=y&redirect=//evil"
        #expect(await side.get(target).status == 404)
        let good = await side.get("/clients/web/flows/verify_login_link?token=a%26b%2F&x=y")
        #expect(good.location == "/flows/verify_login_link?client=web&token=a%26b%2F")
    }

    @Test("confirm shows what is approved, takes the right number, and ends at a wrong one")
    func confirm() async throws {
        for isRight in [true, false] {
            var side = try await PageSide()
            let (page, link) = try await side.askForMail("confirming")
            let number = try #require(page.number)
            var phone = side
            phone.cookies = [:]
            let asked = await phone.send(.post, link)
            let result = asked["result"]
            #expect(result?["status"]?.string == "confirmation_required")
            #expect(result?["client_name"]?.string == "Client confirming")
            #expect(result?["requested_at"]?.string == "2026-11-21T03:42:34.473Z")
            let numbers = try #require(result?["numbers"]?.strings)
            #expect(numbers.count == 3 && numbers.contains(number))
            let picked = try #require(numbers.first { ($0 == number) == isRight })
            let answer = await phone.send(.post, "\(link)&number=\(picked)")
            #expect(answer.status == (isRight ? 200 : 403))
            if !isRight { #expect(reason(answer) == "WrongNumber") }
            let status = await side.get(try #require(page.statusTarget))
            #expect(status["result"]?["status"]?.string == (isRight ? "approved" : "denied"))
        }
    }

    @Test("a number that is not two digits is a bad request") func number() async throws {
        var side = try await PageSide()
        let (_, link) = try await side.askForMail("confirming")
        for number in ["1", "123", "a1", "%2B1"] {
            #expect(await side.send(.post, "\(link)&number=\(number)").status == 400)
        }
    }

    @Test("deny refuses another device, by app and by page") func deny() async throws {
        var side = try await PageSide()
        let (_, link) = try await side.askForMail("denying")
        var phone = side
        phone.cookies = [:]
        let answer = await phone.send(.post, link)
        #expect(answer.status == 403 && reason(answer) == "LoginLinkApprovalDenied")
        let first = await phone.get(link)
        let page = await phone.get(try #require(first.location))
        #expect(page.status == 403 && page.pageError == "access_denied")
        let own = await side.get(link)
        #expect(await side.get(try #require(own.location)).status == 200)
    }

    @Test("on the page a number must be picked, and who refuses is believed") func page()
        async throws
    {
        var side = try await PageSide()
        let (waiting, link) = try await side.askForMail("confirming")
        var phone = side
        phone.cookies = [:]
        let first = await phone.get(link)
        let page = await phone.get(try #require(first.location))
        #expect(page.body.contains("Client confirming") && page.body.contains("name=\"number\""))
        let missing = await phone.post("/flows/verify_login_link", "\(page.fields)&action=approve")
        #expect(missing.status == 400 && missing.body.contains("Pick the number first."))
        let refused = await phone.post("/flows/verify_login_link", "\(page.fields)&action=deny")
        #expect(await phone.outcome(of: refused) == "denied")
        let status = await side.get(try #require(waiting.statusTarget))
        #expect(status["result"]?["status"]?.string == "denied")
        let unknown = await phone.post("/flows/verify_login_link", "\(page.fields)&action=maybe")
        #expect(unknown.status == 400)
    }

    @Test("attack: a page that says that nothing has happened, at an address that was made up")
    func madeUpOutcome() async throws {
        var side = try await PageSide()
        let (_, link) = try await side.askForMail()
        var (phone, page) = try await side.elsewhere(opening: link)
        let path = "/flows/verify_login_link"
        let refused = await phone.post(path, "\(page.fields)&action=deny")
        let own = try #require(refused.location)
        let reference = try #require(
            SealedReferences(side.side.digester).seal(
                Array("denied".utf8),
                for: .logout,
                at: side.side.clock.now
            )
        )
        // Of another purpose, altered, and in plain words.
        let others = [String(decoding: reference, as: UTF8.self), "\(own.dropFirst(40))"]
        for text in others + ["approved", "denied", "wrong_number"] {
            let made = await side.get("\(path)?result=\(text)")
            #expect(made.status == 400 && made.pageError == "invalid_request", "\(text)")
            #expect(!made.body.contains("Nobody was signed in"), "\(text)")
        }
        // The browser follows at once, and nothing ties the address to it.
        side.side.clock.advance(seconds: 299)
        #expect(await phone.outcome(of: refused) == "denied")
        side.side.clock.advance(seconds: 1)
        #expect(await phone.outcome(of: refused) == nil)
    }

    @Test("who waits for a mail in this browser is told that another's is not it, and may say no")
    func otherMail() async throws {
        var stranger = try await PageSide()
        let (waiting, link) = try await stranger.askForMail()
        var own = stranger
        own.cookies = [:]
        _ = try await own.askForMail()
        #expect(stranger.side.mailQueue.sent.count == 1)
        let opened = await own.get(link)
        let page = await own.get(try #require(opened.location))
        #expect(page.body.contains("<h1>This is not the mail you asked for in this browser</h1>"))
        #expect(!page.body.contains("value=\"approve\""))
        let before = stranger.side.store.commits.count
        let path = "/flows/verify_login_link"
        let yes = await own.post(path, "\(page.fields)&action=approve")
        #expect(yes.status == 403 && yes.pageError == "access_denied")
        #expect(stranger.side.store.commits.count == before)
        #expect(await own.post(path, "\(page.fields)&action=deny").status == 303)
        let status = await stranger.get(try #require(waiting.statusTarget))
        #expect(status["result"]?["status"]?.string == "denied")
    }

    @Test("where numbers are shown that page has them, and both buttons") func otherNumbers()
        async throws
    {
        var stranger = try await PageSide()
        let (_, link) = try await stranger.askForMail("confirming")
        var own = stranger
        own.cookies = [:]
        _ = try await own.askForMail("confirming")
        let opened = await own.get(link)
        let page = await own.get(try #require(opened.location))
        #expect(page.body.contains("This is not the mail you asked for in this browser"))
        #expect(page.body.contains("name=\"number\"") && page.body.contains("value=\"approve\""))
    }

    @Test("failed link posts are counted per address") func failures() async throws {
        var side = try await PageSide(limits: [.failedLink: .init(perMinute: 60, burst: 2)])
        let (_, link) = try await side.askForMail()
        let bad = "/clients/web/flows/verify_login_link?token=ll_x"
        _ = await side.send(.post, bad)
        _ = await side.send(.post, bad)
        #expect(await side.send(.post, bad).status == 429)
        #expect(await side.send(.post, link).status == 429)
    }

    static let waits = ["26", "-1", "x", "001"]

    @Test("the status channel refuses what it cannot do", arguments: waits)
    func badWait(_ wait: String) async throws {
        var side = try await PageSide()
        let (page, _) = try await side.askForMail()
        let tx = try #require(page.fields.split(separator: "&").first)
        let answer = await side.get("/login/status?\(tx)&wait=\(wait)")
        #expect(answer.status == 400 && reason(answer) == "BadRequest")
        let other = await side.get("/login/status?\(tx)&seen=maybe")
        #expect(other.status == 400)
        side.cookies = [:]
        #expect(await side.get("/login/status?\(tx)").status == 404)
    }
}

extension Answer {
    /// The number of a waiting page in `confirm`.
    var number: String? {
        let parts = body.split(separator: "<strong>")
        return parts.map { String($0.prefix(2)) }.first { $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }
    }

    /// Without waiting.
    var statusTarget: String? {
        attribute("data-status-url").map { String($0.prefix { $0 != "&" }) }
    }
}
