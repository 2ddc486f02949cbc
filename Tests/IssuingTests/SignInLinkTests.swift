import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

@Suite("Login links") struct SignInLinkTests {
    @Test("another device approves what names client and device, and only its link")
    func otherDevice() async throws {
        let side = try await SignInSide()
        var first = TestBrowser(side)
        let id = try await first.enter(SignInSide.address, at: first.authorize())
        var phone = TestBrowser(side)
        phone.transaction = nil
        let view = try await side.approval.view(phone.presented(), phone.request)
        #expect(view.client.id.text == "web")
        #expect(view.device == "Safari on iOS")
        #expect(!view.isSameDevice && view.numbers.isEmpty)
        try await phone.approve()
        #expect(try await first.complete(id).response?["code"] != nil)
    }

    @Test("confirm: three numbers, the right one approves") func rightNumber() async throws {
        let side = try await SignInSide()
        var first = TestBrowser(side)
        let id = try await first.enter(SignInSide.address, at: first.authorize("confirming"))
        let number = try #require(try await side.pages.waiting(id, first.request).number)
        let phone = TestBrowser(side)
        let presented = try await phone.presented()
        let numbers = try await side.approval.view(presented, phone.request).numbers
        #expect(numbers.count == 3 && Set(numbers).count == 3 && numbers.contains(number))
        await #expect(throws: ApproveLoginLink.Refusal.self) { try await phone.approve() }
        #expect(try await status(id, first) == .pending)
        try await phone.approve(number: number)
        #expect(try await status(id, first) == .approved)
    }

    @Test("confirm: a wrong number ends the request") func wrongNumber() async throws {
        let side = try await SignInSide()
        var first = TestBrowser(side)
        let id = try await first.enter(SignInSide.address, at: first.authorize("confirming"))
        let number = try #require(try await side.pages.waiting(id, first.request).number)
        let phone = TestBrowser(side)
        await #expect(throws: ApproveLoginLink.Refusal.self) {
            try await phone.approve(number: (number + 1) % 100)
        }
        #expect(try await status(id, first) == .denied)
        await #expect(throws: ApproveLoginLink.Refusal.self) {
            try await phone.approve(number: number)
        }
        // No other link, and so no other number, for who waits.
        await #expect(throws: OAuthError.self) {
            try await first.enter(SignInSide.address, at: .login(id))
        }
    }

    @Test("confirm and deny let the device that asked approve without a number")
    func sameDevice() async throws {
        for client in ["confirming", "denying"] {
            let side = try await SignInSide()
            var browser = TestBrowser(side)
            #expect(try await browser.signIn(at: client).response?["code"] != nil)
        }
    }

    @Test("deny: another device is refused and the request goes on") func denying() async throws {
        let side = try await SignInSide()
        var first = TestBrowser(side)
        let id = try await first.enter(SignInSide.address, at: first.authorize("denying"))
        let phone = TestBrowser(side)
        await #expect(throws: ApproveLoginLink.Refusal.self) { try await phone.approve() }
        #expect(try await status(id, first) == .pending)
        try await first.approve()
        #expect(try await first.complete(id).response?["code"] != nil)
    }

    @Test("who says it was not them ends the request") func denied() async throws {
        let side = try await SignInSide()
        var first = TestBrowser(side)
        let id = try await first.enter(SignInSide.address, at: first.authorize())
        let phone = TestBrowser(side)
        try await side.approval.deny(phone.presented(), phone.request)
        #expect(try await status(id, first) == .denied)
        #expect(try await first.complete(id).response?["error"] == "access_denied")
        await expect(refusal: .invalidRequest) { try await side.pages.login(id, first.request) }
    }

    @Test("who says it was not them ends the request, also where it could go on without the mail")
    func deniedForAll() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        let step = try await browser.authorize("app", ["prompt": "select_account"])
        guard case .selectAccount(let id) = step else { return #expect(Bool(false), "\(step)") }
        let page = try #require(try await side.pages.account(id, for: .select, browser.request))
        let posted = browser.posted(id, page.formToken)
        let flow = ContinueSignIn(side.context)
        let other = try await flow.selectAccount(posted, usesOther: true, browser.request)
        _ = try await browser.enter("b@example.com", at: other.step)
        let phone = TestBrowser(side)
        try await side.approval.deny(phone.presented(), phone.request)
        let gone = try await flow.selectAccount(posted, usesOther: false, browser.request)
        #expect(gone.step.response?["error"] == "access_denied")
        #expect(gone.step.response?["code"] == nil)
    }

    @Test("approving again by the same link changes nothing, also after the login")
    func repeated() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let id = try await browser.enter(SignInSide.address, at: browser.authorize())
        try await browser.approve()
        let presented = try await browser.presented()
        _ = try await browser.complete(id)
        let before = side.store.commits.count
        try await side.approval.approve(presented, by: .native, number: nil, browser.request)
        #expect(side.store.commits.count == before)
    }

    @Test("approving again is refused when another node has disabled the client meanwhile")
    func repeatedUnheard() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.enter(SignInSide.address, at: browser.authorize())
        try await browser.approve()
        let presented = try await browser.presented()
        try await side.reconfigureElsewhere { settings in
            for index in settings.clients.indices where settings.clients[index].id.text == "web" {
                settings.clients[index].enabled = false
            }
        }
        await #expect(throws: ApproveLoginLink.Refusal.self) {
            try await side.approval.approve(presented, by: .native, number: nil, browser.request)
        }
        #expect(side.project.configuration.version == 1)
    }

    @Test("dead links are one thing: expired, altered, of another client, superseded")
    func dead() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.enter(SignInSide.address, at: browser.authorize())
        let good = try await browser.presented()
        var bad = [good, good, good]
        bad[0].token[66] ^= 1
        bad[1].client = Array("app".utf8)
        bad[2].token = []
        for presented in bad {
            await #expect(throws: ApproveLoginLink.Refusal.self) {
                try await side.approval.view(presented, browser.request)
            }
        }
        side.clock.advance(seconds: 61)
        _ = try await browser.enter(SignInSide.address, at: browser.authorize())
        await #expect(throws: ApproveLoginLink.Refusal.self) {
            try await side.approval.view(good, browser.request)
        }
        let newer = try await browser.presented()
        _ = try await side.approval.view(newer, browser.request)
        side.clock.advance(seconds: 600)
        await #expect(throws: ApproveLoginLink.Refusal.self) {
            try await side.approval.view(newer, browser.request)
        }
    }

    @Test("a newer request of the browser ends its older link, another browser's stays")
    func initiator() async throws {
        let side = try await SignInSide()
        var first = TestBrowser(side)
        var other = TestBrowser(side)
        _ = try await first.enter("a@example.com", at: first.authorize())
        let older = try await first.presented()
        _ = try await other.enter("b@example.com", at: other.authorize())
        let foreign = try await other.presented()
        _ = try await first.enter("c@example.com", at: first.authorize())
        let newer = try await first.presented()
        await #expect(throws: ApproveLoginLink.Refusal.self) {
            try await side.approval.view(older, first.request)
        }
        _ = try await side.approval.view(newer, first.request)
        _ = try await side.approval.view(foreign, other.request)
    }

    @Test("an approval ends the subject's other open links") func approvalEndsOthers()
        async throws
    {
        let side = try await SignInSide()
        var first = TestBrowser(side)
        _ = try await first.signIn()
        var second = TestBrowser(side)
        side.clock.advance(seconds: 61)
        _ = try await second.enter(SignInSide.address, at: second.authorize())
        let open = try await second.presented()
        side.clock.advance(seconds: 61)
        _ = try await first.signIn(SignInSide.address, at: "app", ["prompt": "login"])
        await #expect(throws: ApproveLoginLink.Refusal.self) {
            try await side.approval.view(open, second.request)
        }
    }

    @Test("attack: a link that was mailed is hidden behind many that nobody is sent")
    func hiddenLink() async throws {
        let side = try await SignInSide()
        var owner = TestBrowser(side)
        _ = try await owner.signIn()
        side.clock.advance(seconds: 61)
        var attacker = TestBrowser(side)
        let hidden = try await attacker.enter(SignInSide.address, at: attacker.authorize())
        let mailed = try await attacker.presented()
        for network in UInt8(0)..<100 {
            var fresh = TestBrowser(side)
            fresh.address.limitKey = [198, 51, 100, network]
            _ = try await fresh.enter(SignInSide.address, at: fresh.authorize())
        }
        side.clock.advance(seconds: 61)
        _ = try await owner.signIn(SignInSide.address, at: "app", ["prompt": "login"])
        // One of them had the other mail of that minute.
        #expect(side.mailQueue.sent.count == 4)
        #expect(try await status(hidden, attacker) == .pending)
        await #expect(throws: ApproveLoginLink.Refusal.self) {
            try await side.approval.approve(mailed, by: .browser, number: nil, owner.request)
        }
    }

    @Test("a resent link is the only one alive") func resend() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let id = try await browser.enter(SignInSide.address, at: browser.authorize())
        let old = try await browser.presented()
        side.clock.advance(seconds: 61)
        let page = try await side.pages.waiting(id, browser.request)
        #expect(page.resendInSeconds == 0)
        _ = try await side.links.resend(browser.posted(id, page.resendToken), browser.request)
        let new = try await browser.presented()
        #expect(new.token != old.token)
        await #expect(throws: ApproveLoginLink.Refusal.self) {
            try await side.approval.view(old, browser.request)
        }
        try await browser.approve()
        #expect(try await browser.complete(id).response?["code"] != nil)
    }

    @Test("the mail names no path of an app that is disabled, and that path approves nothing")
    func disabledApp() async throws {
        let side = try await SignInSide()
        let app = try Fixture.some(ClientID("app"))
        side.reconfigure { settings in
            for index in settings.clients.indices where settings.clients[index].id.text == "web" {
                settings.clients[index].loginLinkApp = app
            }
        }
        var browser = TestBrowser(side)
        _ = try await browser.enter(SignInSide.address, at: browser.authorize())
        let mailed = try await browser.presented()
        #expect(mailed.client == Array("app".utf8))
        side.reconfigure { settings in
            for index in settings.clients.indices where settings.clients[index].id == app {
                settings.clients[index].enabled = false
            }
        }
        await #expect(throws: ApproveLoginLink.Refusal.self) {
            try await side.approval.view(mailed, browser.request)
        }
        side.clock.advance(seconds: 61)
        _ = try await browser.enter(SignInSide.address, at: browser.authorize())
        let other = try await browser.presented()
        #expect(other.client == Array("web".utf8))
        _ = try await side.approval.view(other, browser.request)
    }

    @Test("another browser sees nothing of a request") func otherBrowser() async throws {
        let side = try await SignInSide()
        var first = TestBrowser(side)
        let id = try await first.enter(SignInSide.address, at: first.authorize())
        var thief = TestBrowser(side)
        _ = try await thief.authorize()
        await expect(refusal: .notFound) { try await side.pages.waiting(id, thief.request) }
        await expect(refusal: .notFound) { try await status(id, thief) }
        try await first.approve()
        let token = try await side.pages.waiting(id, first.request).completeToken
        await expect(refusal: .accessDenied) {
            try await side.completion.complete(thief.posted(id, token), thief.request)
        }
    }

    private func status(_ id: StreamID, _ browser: TestBrowser) async throws -> LoginStatus {
        let side = browser.side
        let waiting = AwaitLogin(side.context, hints: InMemoryStreamHints(), pause: side.clock)
        return try await waiting.status(of: id, waitSeconds: 0, browser.request)
    }
}
