import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

/// What mails are counted by (Security 9, L5 and L6).
@Suite("Counted mails") struct MailBudgetTests {
    /// Asks for a mail in a browser of its own, and sends it.
    private static func ask(
        _ address: String,
        from network: [UInt8],
        _ side: SignInSide,
        _ limits: MailLimits
    ) async throws {
        var browser = TestBrowser(side)
        browser.address.limitKey = network
        let step = try await browser.authorize()
        guard case .login(let id) = step else { return #expect(Bool(false), "\(step)") }
        let page = try Fixture.some(try await side.pages.login(id, browser.request))
        _ = try await side.links(limits: limits).request(
            browser.posted(id, page.formToken),
            address: Array(address.utf8),
            browser.request
        )
        _ = try await side.mails.run(by: Fixture.noDeadline)
    }

    @Test(
        "attack: who asks for mails that do not go out spends nothing of client or project",
        arguments: ["client_per_hour", "project_per_hour"]
    )
    func unsent(_ limit: String) async throws {
        let side = try await SignInSide()
        let limits = MailLimits([limit: 3])
        for network: UInt8 in 0..<10 {
            try await Self.ask("mine@example.com", from: [198, 51, 100, network], side, limits)
        }
        // One each for the first two networks (decision 0241).
        #expect(side.mailQueue.sent.count == 2)
        try await Self.ask("other@example.com", from: [192, 0, 2, 1], side, limits)
        #expect(side.mailQueue.sent.count == 3)
        // Then all hear alike, whether their address has had a mail or not.
        for address in ["mine@example.com", "third@example.com"] {
            do {
                try await Self.ask(address, from: [192, 0, 2, 2], side, limits)
                Issue.record("\(address) is answered")
            } catch RequestLoginLink.Refusal.page(let why) { #expect(why.status == 429) }
        }
    }

    @Test("attack: a visitor asks from each /64 of a /48: as often as sixteen may") func network()
        async throws
    {
        let side = try await SignInSide()
        let budget = side.budget(limits: MailLimits(["network_per_hour": 2]))
        func allows(_ address: [UInt8], _ wider: [UInt8]?) async throws -> Bool {
            try await budget.allows(
                NetworkAddress(limitKey: address, widerLimitKey: wider, network: ""),
                in: side.project.number,
                at: side.clock.now,
                by: Fixture.noDeadline
            )
        }
        var letIn = 0
        for number: UInt8 in 0..<40 {
            letIn += try await allows([1, 2, 3, 4, 5, 6, 0, number], [6]) ? 1 : 0
        }
        #expect(letIn == 32)
        #expect(try await allows([1, 2, 3, 4, 5, 7, 0, 0], [7]))
        #expect(try await allows([192, 0, 2, 1], nil))
    }

    @Test(
        "a mail that is asked for again counts once, for client and project, too",
        arguments: [2, 8, 0]
    )
    func again(_ addressPerMinute: Int) async throws {
        let side = try await SignInSide()
        let budget = side.budget(
            limits: MailLimits(["client_per_hour": 2, "address_per_minute": addressPerMinute])
        )
        let client = try Fixture.some(ClientID("web"))
        let (project, now) = (side.project.number, side.clock.now)
        func allows(_ address: String, _ mail: [UInt8]) async throws -> Bool {
            try await budget.allows(
                Fixture.some(EmailAddress(address.utf8)),
                for: client,
                as: mail,
                from: TestBrowser(side).address,
                in: project,
                at: now,
                by: Fixture.noDeadline
            )
        }
        func isExhausted() async throws -> Bool {
            try await budget.isExhausted(
                by: client,
                in: project,
                at: now,
                by: Fixture.noDeadline
            )
        }
        for _ in 1...3 { #expect(try await allows("a@example.com", [1])) }
        #expect(try await !isExhausted())
        #expect(try await allows("b@example.com", [2]))
        #expect(try await isExhausted())
        #expect(try await !allows("c@example.com", [3]))
        // It was counted while there was room.
        #expect(try await allows("a@example.com", [1]))
    }
}
