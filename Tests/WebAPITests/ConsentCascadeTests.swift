import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Whom an application let in, once its user takes back what they allowed it (WireContract 9.7,
/// decision 0175).
@Suite("A consent that is taken back from who let others in") struct ConsentCascadeTests {
    private static let scope = NativeSSOTests.scope
    private let web: WebSide
    private var side: TokenSide { web.side }

    /// `app` is somebody else's, lets others in, and their end is its own.
    init() async throws {
        web = try await CascadeTests.cascading()
        var changed = try #require(side.projects.project(id: side.project.settings.id)).settings
        changed.clients[0].consentRequired = true
        try await side.apply(changed)
        try await side.run(Consent.self, name, for: side.subject) {
            .give(Sample.client("app"), Sample.scope(Self.scope))
        }
    }

    private var name: StreamID {
        StreamNames(side.digester)
            .consent(side.subject, Sample.client("app"), in: side.project.number)
    }

    private func withdraw() async throws {
        let settings = SettingsSide(web)
        let form = try #require(try await settings.forms()["app"])
        #expect(try await settings.post(form).location == "/settings")
    }

    @Test("its session ends, and so does theirs") func alone() async throws {
        let code = try await side.code(scope: Self.scope)
        let owner = try await CascadeTests.Holder(web, code)
        let target = try await owner.letIn("other")
        try await withdraw()
        #expect(try await owner.refresh().error == "invalid_grant")
        try await CascadeTests.expectCascaded(target.session(), web)
    }

    private func withdrawAlone() async throws {
        try await side.run(Consent.self, name, for: side.subject) { .withdraw(by: .user) }
    }

    /// Of all sessions of the user, the newest first.
    private func statuses() async throws -> [SessionList.Entry.Status] {
        try await SessionList(side.commands)
            .page(
                of: side.subject,
                after: nil,
                showing: Set(SessionList.Entry.Status.allCases),
                in: #require(side.projects.project(id: side.project.settings.id)),
                by: Fixture.noDeadline
            )
            .entries.map(\.status)
    }

    @Test("its session that nobody ended holds them no more, by any door") func left() async throws
    {
        let code = try await side.code(scope: Self.scope)
        let target = try await CascadeTests.Holder(web, code).letIn("other")
        let access = Array(target.accessToken.utf8)
        #expect(try await side.isActive(access))
        #expect(try await statuses() == [.live, .live, .live])
        try await withdrawAlone()
        #expect(try await !side.isActive(access))
        // Lists say what a request would hear: of theirs, of its own, and of the browser's.
        #expect(try await statuses() == [.ended, .ended, .live])
        #expect(try await target.refresh().word == "400 invalid_grant")
    }

    @Test("nobody says a last word of them where it may have stopped taking them along")
    func takenOff() async throws {
        let code = try await side.code(scope: Self.scope)
        let target = try await CascadeTests.Holder(web, code).letIn("other")
        let new = try await BehindProjectTests.stopCascading(web, isHeard: true, isRead: false)
        try await withdrawAlone()
        #expect(try await target.refresh().word == "503 temporarily_unavailable")
        let said = try await BehindProjectTests.introspect(target.accessToken, web)
        #expect(said.word == "503 temporarily_unavailable")
        try await side.apply(new)
        #expect(try await side.isActive(Array(target.accessToken.utf8)))
        #expect(try await target.refresh().status == 200)
    }

    @Test("it leaves a session that others share, and whom it let in by that goes on")
    func shared() async throws {
        let code = try await side.code(scope: Self.scope)
        let owner = try await CascadeTests.Holder(web, code)
        let form = try NativeSSOTests.form(owner.answer)
        let guest = try await NativeSSOTests.send(web, form)
        try #require(guest.status == 200, "\(guest.body)")
        let target = try await owner.letIn("other")
        try await withdraw()
        #expect(try await owner.refresh().error == "invalid_grant")
        let token = guest["refresh_token"]?.string
        #expect(try await NativeSSOTests.refresh(web, token, client: "invest").status == 200)
        #expect(try await target.refresh().status == 200)
        #expect(try await target.isOpen())
    }
}
