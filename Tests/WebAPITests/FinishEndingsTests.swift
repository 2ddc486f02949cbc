import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// A process may die between an end and the record of what that end ends (WireContract 9.7).
@Suite("What a dead process left to record") struct FinishEndingsTests {
    private typealias Holder = CascadeTests.Holder

    private func finish(
        _ side: TokenSide,
        _ personalData: InMemoryPersonalData = .init(),
        by commands: CommandRunner? = nil
    ) -> FinishEndings {
        FinishEndings(
            InMemoryEndingLog(side.store),
            commands: commands ?? side.commands,
            personalData: personalData,
            pause: PassingTime()
        )
    }

    @Test("an owner's end reaches all whom it let in, and whom these let in") func cascade()
        async throws
    {
        let web = try await CascadeTests.cascading()
        let owner = try await Holder(web, web.side.code())
        let target = try await owner.letIn("other")
        let third = try await target.letIn("app-1")
        try await web.side.run(OfflineGrant.self, owner.session().stream) { .revoke(.superseded) }
        let finish = finish(web.side)
        let outcome = await finish.run(by: Fixture.noDeadline)
        #expect(outcome.sessionCount == 2)
        try await CascadeTests.expectCascaded(target.session(), web)
        try await CascadeTests.expectCascaded(third.session(), web)
        // Its own ends come next, and leave nothing.
        let commits = web.commits
        let next = await finish.run(by: Fixture.noDeadline)
        #expect(next.sessionCount == 0)
        #expect(await finish.run(by: Fixture.noDeadline).endingCount == 0)
        #expect(web.commits == commits)
    }

    @Test("the keys that a thief's session set up end with it, once") func keysOfThief()
        async throws
    {
        let web = try await WebSide()
        let user = try await BiometricTests.User(web)
        let login = try await user.authenticate(user.jwt("authenticate"))
        #expect(login.status == 200, "\(login.body)")
        let id = try CascadeTests.session(of: user.refreshToken, web)
        try await web.side.run(OfflineGrant.self, id.stream) { .revoke(.codeReplay) }
        let finish = finish(web.side)
        #expect(await finish.run(by: Fixture.noDeadline).sessionCount == 1)
        let end = try #require(
            web.side.store.commits.last { $0.streams.contains { $0.kind == .biometricKey } }
        )
        #expect(end.attributes.cause?.stream == id.stream, "an audit finds why it ended")
        let again = try await web.expectNothingRecorded {
            try await user.authenticate(user.jwt("authenticate"))
        }
        #expect(again.status != 200, "\(again.body)")
        let next = await finish.run(by: Fixture.noDeadline)
        #expect(next.sessionCount == 0)
    }

    @Test("an end of a project that this process has not read yet waits, and is not lost")
    func unreadProject() async throws {
        let web = try await WebSide()
        let owner = try await Holder(web, web.side.code(browser: web.side.browser))
        try await web.side.run(BrowserSession.self, web.side.browser.stream) { .end(.logout) }
        let projects = InMemoryProjects([])
        let commands = web.side.commands(projects: projects)
        let finish = finish(web.side, by: commands)
        let early = await finish.run(by: Fixture.noDeadline)
        #expect(early.endingCount == 0 && early.waiting.map(\.error) == [.unavailable])
        #expect(try await owner.isOpen())
        projects.replaceLater(try #require(web.side.projects.all.first))
        let outcome = await finish.run(by: Fixture.noDeadline)
        #expect(outcome.endingCount == 1 && outcome.sessionCount == 1)
        #expect(try await !owner.isOpen())
    }

    @Test("an owner's end that is followed by settings of before reaches them all the same")
    func staleSettings() async throws {
        let web = try await WebSide()
        let before = try #require(web.side.projects.all.first)
        var settings = before.settings
        settings.clients[0].app2app = .init(cascades: true)
        try await web.side.apply(settings)
        let owner = try await Holder(web, web.side.code())
        let target = try await owner.letIn("other")
        try await web.side.run(OfflineGrant.self, owner.session().stream) { .revoke(.superseded) }
        let projects = InMemoryProjects([before])
        projects.replaceLater(try #require(web.side.projects.all.first))
        let commands = web.side.commands(projects: projects)
        let outcome = await finish(web.side, by: commands).run(by: Fixture.noDeadline)
        #expect(outcome.sessionCount == 1)
        try await CascadeTests.expectCascaded(target.session(), web)
    }

    @Test("one that lets its guests stay ends none of them") func guestsStay() async throws {
        let web = try await WebSide()
        let owner = try await Holder(web, web.side.code())
        let target = try await owner.letIn("other")
        try await web.side.run(OfflineGrant.self, owner.session().stream) { .revoke(.superseded) }
        let outcome = await finish(web.side).run(by: Fixture.noDeadline)
        #expect(outcome.endingCount == 1 && outcome.sessionCount == 0)
        #expect(try await target.refresh().status == 200)
    }

    @Test("a browser session's end reaches the apps that joined it") func browser() async throws {
        let web = try await WebSide()
        let owner = try await Holder(web, web.side.code(browser: web.side.browser))
        let stranger = try await Holder(web, web.side.code())
        try await web.side.run(BrowserSession.self, web.side.browser.stream) { .end(.logout) }
        let outcome = await finish(web.side).run(by: Fixture.noDeadline)
        #expect(outcome.sessionCount == 1)
        #expect(try await !owner.isOpen())
        #expect(try await stranger.isOpen())
    }

    @Test("a user's end reaches all their sessions", arguments: [true, false])
    func user(_ isErased: Bool) async throws {
        let web = try await WebSide()
        let owner = try await Holder(web, web.side.code())
        try await web.side.run(Subject.self, web.side.subject.stream) {
            isErased ? .erase : .disable(.operator)
        }
        let personalData = InMemoryPersonalData()
        _ = await finish(web.side, personalData).run(by: Fixture.noDeadline)
        #expect(try await !owner.isOpen())
        // Again when the address is free: a login by it may have come between.
        let subject = web.side.subject
        #expect(personalData.destroyed == (isErased ? [subject, subject] : []))
    }

    @Test("a user who is enabled again gets no session back that nobody came to end")
    func enabled() async throws {
        let admin = try await AdminSide()
        let side = admin.side
        let first = try await side.redeem(side.code())
        try await side.run(Subject.self, side.subject.stream) { .disable(.operator) }
        let path = "/admin/v1/subjects/\(side.subject)/enable"
        let answer = try await admin.send(.post, path, as: .operate, body: #"{"reason":"asked"}"#)
        #expect(answer.status == 200, "\(answer.body)")
        #expect(try await !side.isActive(first.accessToken?.text))
        let ends = side.store.allEvents.map(\.body)
        #expect(ends.contains(.offlineGrant(.revoked(.subjectDisabled))))
        // And what opens now stays open when the former end is followed.
        let second = try await side.redeem(side.code())
        _ = await finish(side).run(by: Fixture.noDeadline)
        #expect(try await side.isActive(second.accessToken?.text))
    }

    @Test("a session that cannot be read keeps no other from its end", arguments: [true, false])
    func unreadable(_ isErased: Bool) async throws {
        let admin = try await AdminSide()
        let side = admin.side
        var tokens: [[UInt8]?] = []
        for _ in 0..<3 { tokens.append(try await side.redeem(side.code()).refreshToken) }
        let sessions = try tokens.map { token in
            try #require(RefreshToken(reading: token ?? [], digester: side.digester)).session
        }
        // As a newer program's event would.
        side.store.spoil(sessions[1].stream)
        try await side.run(Subject.self, side.subject.stream) {
            isErased ? .erase : .disable(.operator)
        }
        let personalData = InMemoryPersonalData()
        let outcome = await finish(side, personalData).run(by: Fixture.noDeadline)
        #expect(outcome.unreadable == [sessions[1].stream] && outcome.waiting.isEmpty)
        #expect(personalData.destroyed.count == (isErased ? 2 : 0))
        let ended = side.store.allEvents.filter { event in
            if case .offlineGrant(.revoked) = event.body { true } else { false }
        }
        #expect(Set(ended.map(\.stream)) == [sessions[0].stream, sessions[2].stream])
    }

    @Test("a session that expired long ago is not ended because one beside it cannot be read")
    func unreadableBesideExpired() async throws {
        let side = try await AdminSide().side
        _ = try await side.redeem(side.code(scope: "openid"))
        side.clock.advance(seconds: 2 * 3600)
        var sessions: [SessionID] = []
        for _ in 0..<2 {
            let token = try await side.redeem(side.code()).refreshToken
            let read = RefreshToken(reading: token ?? [], digester: side.digester)
            sessions.append(try #require(read).session)
        }
        side.store.spoil(sessions[0].stream)
        try await side.run(Subject.self, side.subject.stream) { .disable(.operator) }
        let outcome = await finish(side).run(by: Fixture.noDeadline)
        #expect(outcome.unreadable == [sessions[0].stream])
        let ended = side.store.allEvents.filter { event in
            if case .offlineGrant(.revoked) = event.body { true } else { false }
        }
        #expect(ended.map(\.stream) == [sessions[1].stream])
    }

    @Test("an end that cannot be followed keeps none behind it from its turn") func poisoned()
        async throws
    {
        let web = try await CascadeTests.cascading()
        let first = try await Holder(web, web.side.code())
        let second = try await Holder(web, web.side.code())
        let targets = [try await first.letIn("other"), try await second.letIn("other")]
        for owner in [first, second] {
            try await web.side.run(OfflineGrant.self, owner.session().stream) {
                .revoke(.superseded)
            }
        }
        web.side.store.fail(.unavailable)
        let finish = finish(web.side)
        let outcome = await finish.run(by: Fixture.noDeadline)
        #expect(outcome.endingCount == 0 && outcome.sessionCount == 1)
        #expect(try await targets[0].isOpen())
        try await CascadeTests.expectCascaded(targets[1].session(), web)
        // Both come again, and the second leaves nothing.
        #expect(await finish.run(by: Fixture.noDeadline).sessionCount == 1)
        try await CascadeTests.expectCascaded(targets[0].session(), web)
    }

    @Test("an end whose record failed comes again") func again() async throws {
        let web = try await CascadeTests.cascading()
        let owner = try await Holder(web, web.side.code())
        let target = try await owner.letIn("other")
        try await web.side.run(OfflineGrant.self, owner.session().stream) { .revoke(.superseded) }
        web.side.store.fail(.unavailable)
        let finish = finish(web.side)
        let failed = await finish.run(by: Fixture.noDeadline)
        #expect(failed.endingCount == 0)
        let session = try owner.session()
        #expect(failed.waiting.map(\.stream) == [session.stream])
        #expect(failed.waiting.map(\.error) == [.unavailable])
        #expect(try await target.isOpen())
        #expect(await finish.run(by: Fixture.noDeadline).sessionCount == 1)
        try await CascadeTests.expectCascaded(target.session(), web)
    }
}
