import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

@Suite("Login mails") struct SignInMailTests {
    @Test("the mail names project, client and device, and its link works once sent") func mail()
        async throws
    {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.enter(SignInSide.address, at: browser.authorize())
        #expect(try await side.mails.run(by: Fixture.noDeadline) == 1)
        let mail = try #require(side.mailQueue.sent.first)
        #expect(mail.projectName == "Example Bank" && mail.clientName == "Client web")
        #expect(mail.device == "Safari on iOS" && mail.validMinutes == 10)
        #expect(mail.link.hasPrefix("https://auth.example.com/clients/web/flows/verify_login_link"))
        #expect(side.mailQueue.due.isEmpty)
        #expect(events(side).contains(.loginLink(.mailSent(generation: 1, attempt: 1))))
    }

    /// What an observer of the request can tell: nothing but how the log moved.
    private func trace(_ address: String, _ side: SignInSide) async throws -> [String] {
        var browser = TestBrowser(side)
        let before = side.store.commits.count
        let id = try await browser.enter(address, at: browser.authorize())
        let page = try await side.pages.waiting(id, browser.request)
        let commits = side.store.commits[before...].map { commit in
            let kinds = commit.streams.map { "\($0.kind):\($0.events.count)" }.sorted()
            return "\(kinds) \(commit.guards.count)"
        }
        return commits + ["\(page.status)", "\(side.mailQueue.due.count)"]
    }

    @Test("known, unknown, disabled and mail-limited addresses take the same steps")
    func indistinguishable() async throws {
        let side = try await SignInSide()
        var first = TestBrowser(side)
        _ = try await first.signIn()
        side.clock.advance(seconds: 61)
        let known = try await trace(SignInSide.address, side)
        _ = try await side.mails.run(by: Fixture.noDeadline)
        let unknown = try await trace("nobody@example.com", side)
        _ = try await side.mails.run(by: Fixture.noDeadline)
        let limited = try await trace("nobody@example.com", side)
        _ = try await side.mails.run(by: Fixture.noDeadline)
        try await disable(side)
        side.clock.advance(seconds: 61)
        let disabled = try await trace(SignInSide.address, side)
        #expect(known == unknown && known == limited && known == disabled)
        let sent = side.mailQueue.sent.count
        _ = try await side.mails.run(by: Fixture.noDeadline)
        #expect(side.mailQueue.sent.count == sent)
        #expect(side.mailQueue.due.isEmpty)
    }

    @Test("a mail of a project that this node has not read yet stays in the queue")
    func unreadProject() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.enter(SignInSide.address, at: browser.authorize())
        let context = side.context(projects: InMemoryProjects([]))
        let early = MailDispatch(context, mailQueue: side.mailQueue, sender: side.mailQueue)
        await #expect(throws: StoreError.unavailable) {
            try await early.run(by: Fixture.noDeadline)
        }
        #expect(side.mailQueue.sent.isEmpty && side.mailQueue.due.count == 1)
    }

    @Test(
        "a mail for a client that only this node does not know, or has disabled, waits",
        arguments: [true, false]
    )
    func unknownClient(_ isRemoved: Bool) async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.enter(SignInSide.address, at: browser.authorize())
        let clients = side.project.settings.clients
        side.reconfigure { settings in
            let index = settings.clients.firstIndex { $0.id.text == "web" }
            guard let index else { return }
            if isRemoved {
                settings.clients.remove(at: index)
            } else {
                settings.clients[index].enabled = false
            }
        }
        side.isBehind = true
        for _ in 0..<90 {
            _ = try await side.mails.run(by: Fixture.noDeadline)
            side.clock.advance(seconds: 1)
        }
        #expect(side.mailQueue.sent.isEmpty && side.mailQueue.due.count == 1)
        side.isBehind = false
        try await side.reconfigureElsewhere { $0.clients = clients }
        _ = try await side.mails.run(by: Fixture.noDeadline)
        #expect(side.mailQueue.sent.isEmpty && side.mailQueue.due.count == 1)
        side.clock.advance(seconds: 1)
        _ = try await side.mails.run(by: Fixture.noDeadline)
        #expect(side.mailQueue.sent.count == 1 && side.mailQueue.due.isEmpty)
    }

    @Test("a node whose clock is wrong takes no mail from the queue") func wrongClock()
        async throws
    {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.enter(SignInSide.address, at: browser.authorize())
        side.clock.distrust("three seconds ahead")
        #expect(try await side.mails.run(by: Fixture.noDeadline) == 0)
        #expect(side.mailQueue.sent.isEmpty && side.mailQueue.due.count == 1)
        side.clock.distrust(nil)
        #expect(try await side.mails.run(by: Fixture.noDeadline) == 1)
        #expect(side.mailQueue.sent.count == 1 && side.mailQueue.due.isEmpty)
    }

    @Test("a clock that goes wrong while a mail is held neither sends nor drops it")
    func clockGoesWrong() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.enter(SignInSide.address, at: browser.authorize())
        for ahead in [0, 86_400] as [Int64] {
            let held = try await side.mails.lease(upTo: 1, by: Fixture.noDeadline)
            side.clock.distrust("\(ahead) s ahead")
            side.clock.advance(seconds: ahead)
            for mail in held {
                #expect(try await side.mails.deliver(mail, by: Fixture.noDeadline) == .putOff)
            }
            #expect(side.mailQueue.sent.isEmpty && side.mailQueue.due.count == 1)
            side.clock.advance(seconds: -ahead)
            side.clock.distrust(nil)
        }
        _ = try await side.mails.run(by: Fixture.noDeadline)
        #expect(side.mailQueue.sent.count == 1)
    }

    @Test("with sign-up closed a stranger gets no mail") func closed() async throws {
        let side = try await SignInSide(signup: .closed)
        var browser = TestBrowser(side)
        _ = try await browser.enter(SignInSide.address, at: browser.authorize())
        _ = try await side.mails.run(by: Fixture.noDeadline)
        #expect(side.mailQueue.sent.isEmpty && side.mailQueue.due.isEmpty)
    }

    @Test("an address gets one mail a minute from one network, whoever asks there") func perMinute()
        async throws
    {
        let side = try await SignInSide()
        for seconds in [0, 1, 59, 1] as [Int64] {
            side.clock.advance(seconds: seconds)
            var browser = TestBrowser(side)
            _ = try await browser.enter(SignInSide.address, at: browser.authorize())
            _ = try await side.mails.run(by: Fixture.noDeadline)
        }
        #expect(side.mailQueue.sent.count == 2)
    }

    @Test("however an address is written, its mailbox gets one mail a minute") func perMailbox()
        async throws
    {
        let side = try await SignInSide()
        for address in ["victim@example.com", "Victim@example.com", "victim+1@example.com"] {
            var browser = TestBrowser(side)
            _ = try await browser.enter(address, at: browser.authorize())
            _ = try await side.mails.run(by: Fixture.noDeadline)
        }
        #expect(side.mailQueue.sent.map(\.to.bytes) == [Array("victim@example.com".utf8)])
    }

    @Test("a network that asks for too many mails is told so") func perNetwork() async throws {
        let side = try await SignInSide()
        for number in 0..<50 {
            var browser = TestBrowser(side)
            _ = try await browser.enter("user\(number)@example.com", at: browser.authorize())
        }
        var browser = TestBrowser(side)
        let step = try await browser.authorize()
        let before = side.store.commits.count
        do {
            _ = try await browser.enter("user51@example.com", at: step)
            Issue.record("accepted")
        } catch RequestLoginLink.Refusal.page(let refusal) {
            // Until the hour is over.
            let left = 3600 - side.clock.now.seconds % 3600
            #expect(refusal.status == 429 && refusal.retryAfterSeconds == Int(left))
        }
        #expect(side.store.commits.count == before)
    }

    @Test(
        "what is no address is said, and nothing changes",
        arguments: ["", "a", "a@b@c", "ü@x.de"]
    )
    func malformed(_ address: String) async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let step = try await browser.authorize()
        let before = side.store.commits.count
        do {
            _ = try await browser.enter(address, at: step)
            Issue.record("accepted")
        } catch RequestLoginLink.Refusal.malformedAddress {}
        #expect(side.store.commits.count == before && side.mailQueue.due.isEmpty)
    }

    @Test("a mail that fails for now is tried again, five times in all") func transient()
        async throws
    {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.enter(SignInSide.address, at: browser.authorize())
        side.mailQueue.fail(.transient(code: 451))
        for _ in 0..<7 { _ = try await side.mails.run(by: Fixture.noDeadline) }
        let failures = events(side).compactMap { event -> (Int, Bool)? in
            guard case .loginLink(.mailFailed(_, let attempt, 451, let final)) = event else {
                return nil
            }
            return (attempt, final)
        }
        #expect(failures.map(\.0) == [1, 2, 3, 4, 5])
        #expect(failures.map(\.1) == [false, false, false, false, true])
        #expect(side.mailQueue.due.isEmpty)
    }

    @Test("a mail that never will arrive is given up at once") func permanent() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.enter(SignInSide.address, at: browser.authorize())
        side.mailQueue.fail(.permanent(code: 550))
        _ = try await side.mails.run(by: Fixture.noDeadline)
        let failed = LoginLink.Event.mailFailed(generation: 1, attempt: 1, code: 550, final: true)
        #expect(events(side).contains(.loginLink(failed)))
        #expect(side.mailQueue.due.isEmpty)
    }

    @Test("a row without link waits for its append, and dies after a minute") func orphan()
        async throws
    {
        let side = try await SignInSide()
        let link = StreamID.timeOrdered(at: side.clock.now, from: side.entropy)
        try await side.mailQueue.enqueue(
            .loginLink(link, generation: 1),
            project: side.project.number,
            by: Fixture.noDeadline
        )
        _ = try await side.mails.run(by: Fixture.noDeadline)
        #expect(side.mailQueue.due.count == 1)
        side.clock.advance(seconds: 61)
        _ = try await side.mails.run(by: Fixture.noDeadline)
        #expect(side.mailQueue.due.isEmpty)
    }

    @Test("no mail goes out for a request that has ended meanwhile") func ended() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        let id = try await browser.enter(SignInSide.address, at: browser.authorize())
        let page = try await side.pages.waiting(id, browser.request)
        let posted = browser.posted(id, page.frame.cancelToken)
        _ = try await CancelLogin(side.context).cancel(posted, browser.request)
        _ = try await side.mails.run(by: Fixture.noDeadline)
        #expect(side.mailQueue.sent.isEmpty && side.mailQueue.due.isEmpty)
    }

    private func events(_ side: SignInSide) -> [DomainEvent] { side.store.allEvents.map(\.body) }

    private func disable(_ side: SignInSide) async throws {
        let subject = try #require(
            side.store.allEvents.first {
                if case .subject(.registered) = $0.body { true } else { false }
            }
        )
        let request = CommandRequest(
            project: side.project,
            attributes: EventAttributes(actor: .system),
            deadline: Fixture.noDeadline
        )
        try await side.commands.run(request, on: subject.stream) {
            (work: inout Work) async throws(CommandError<Never>) in
            guard var loaded = try? await work.load(Subject.self, subject.stream) else { return }
            _ = try? work.decide(.disable(.operator), on: &loaded)
        }
    }
}
