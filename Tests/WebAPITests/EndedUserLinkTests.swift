import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Links on their way while their user is disabled, enabled again or erased (WireContract 9.7).
@Suite("Login links of a user who was stopped") struct EndedUserLinkTests {
    private enum End: String, CaseIterable { case disabled, enabled, erased }

    /// The user logs in once, so that there is one, and asks for another mail.
    private static func asking(_ changes: [String: String?] = [:]) async throws
        -> (side: PageSide, page: Answer, link: String, user: SubjectID)
    {
        var side = try await PageSide()
        let (first, opening) = try await side.askForMail()
        _ = await side.send(.post, opening)
        #expect(
            await side.post("/login/complete", first.fields).location?.contains("code=") == true
        )
        side.cookies = [:]
        side.side.clock.advance(seconds: 100)
        let (page, link) = try await side.askForMail("web", changes)
        return (side, page, link, try side.user())
    }

    private static func run(_ end: End, _ user: SubjectID, of side: PageSide) async throws {
        let users = SubjectAdministration(
            commands: side.side.commands,
            personalData: InMemoryPersonalData()
        )
        let order = Order(
            in: side.side.project,
            by: Operator(name: "ann", role: .operate),
            reason: "a test",
            deadline: Fixture.noDeadline
        )
        switch end {
        case .disabled: try await users.disable(user, by: order)
        case .enabled:
            try await run(.disabled, user, of: side)
            side.side.clock.advance(seconds: 1)
            try await users.enable(user, by: order)
        case .erased: try await users.erase(user, by: order)
        }
    }

    @Test("attack: a link of before approves nothing and logs nobody in, approved or not")
    func dead() async throws {
        for end in End.allCases {
            for isApprovedBefore in [false, true] {
                var (side, page, link, user) = try await Self.asking()
                if isApprovedBefore {
                    let approved = await side.send(.post, link)
                    #expect(approved.status == 200, "\(end)")
                }
                try await Self.run(end, user, of: side)
                let before = side.side.store.commits.count
                let answer = await side.send(.post, link)
                #expect(answer.word == "403 InvalidLoginLink", "\(end): \(answer.body)")
                let completed = await side.post("/login/complete", page.fields)
                #expect(completed.location?.contains("code=") != true, "\(end)")
                #expect(side.side.store.commits.count == before, "\(end)")
            }
        }
    }

    /// Without a session of the browser, which would have ended with the user's.
    @Test("attack: a login that waited for its consent is not gone on with once they are enabled")
    func consent() async throws {
        var (side, page, link, user) = try await Self.asking([
            "x_sso_enabled": "false", "prompt": "consent",
        ])
        #expect(await side.send(.post, link).status == 200)
        let completed = await side.post("/login/complete", page.fields)
        let consent = await side.get(try #require(completed.location))
        #expect(consent.status == 200)
        try await Self.run(.enabled, user, of: side)
        let given = await side.post("/consent", "\(consent.fields)&action=allow")
        #expect(given.location?.contains("code=") != true)
        #expect(given.status == 400)
    }

    @Test("a consent whose page did not arrive is asked for again") func again() async throws {
        var (side, page, link, _) = try await Self.asking(["prompt": "consent"])
        #expect(await side.send(.post, link).status == 200)
        let first = await side.post("/login/complete", page.fields)
        let second = await side.post("/login/complete", page.fields)
        #expect(first.location?.hasPrefix("/consent") == true)
        #expect(second.status == first.status && second.location == first.location)
        let consent = await side.get(try #require(second.location))
        let given = await side.post("/consent", "\(consent.fields)&action=allow")
        #expect(given.location?.contains("code=") == true)
    }

    @Test("a link that is asked for once the user is enabled logs them in") func after()
        async throws
    {
        var (side, _, _, user) = try await Self.asking()
        try await Self.run(.enabled, user, of: side)
        side.side.clock.advance(seconds: 100)
        side.cookies = [:]
        let (page, link) = try await side.askForMail()
        #expect(await side.send(.post, link).status == 200)
        #expect(await side.post("/login/complete", page.fields).location?.contains("code=") == true)
    }

    @Test("the proof that a refused approval brought stays good") func proof() async throws {
        var asked = try await LinkProofTests.Asked("denying")
        let user = try await asked.becomeUser()
        let proof = try asked.draft.compact()
        try await Self.run(.disabled, user, of: asked.app)
        let before = asked.app.side.store.commits.count
        for _ in 1...2 {
            let answer = await asked.approve(with: proof)
            #expect(answer.word == "403 InvalidLoginLink", "\(answer.body)")
        }
        #expect(asked.app.side.store.commits.count == before)
    }

    @Test("a client that was disabled since has nothing approved for it") func client()
        async throws
    {
        var side = try await PageSide()
        let (_, link) = try await side.askForMail()
        side.side.reconfigure { settings in
            for index in settings.clients.indices where settings.clients[index].id.text == "web" {
                settings.clients[index].enabled = false
            }
        }
        let before = side.side.store.commits.count
        #expect(await side.send(.post, link).status == 403)
        #expect(side.side.store.commits.count == before)
    }
}
