import InMemory
import OAuth
import TestSupport
import Testing
import WebAPI

/// Whom a stolen refresh token let in by app2app, once its reuse is found (decision 0208).
@Suite("Reuse of a token whose session others share") struct ReuseCascadeTests {
    private let web: WebSide
    private let owner: CascadeTests.Holder
    private let guest: String

    /// `app` lets others in, and their end is its own; `invest` shares its session.
    init() async throws {
        web = try await CascadeTests.cascading()
        let code = try await web.side.code(scope: NativeSSOTests.scope)
        owner = try await CascadeTests.Holder(web, code)
        let joined = try await NativeSSOTests.send(web, NativeSSOTests.form(owner.answer))
        guest = try #require(joined["refresh_token"]?.string, "\(joined.body)")
    }

    /// The owner comes with a token that somebody else has used a minute ago.
    private func replay() async throws -> Answer {
        web.side.clock.advance(seconds: 60)
        #expect(try await owner.refresh().status == 200)
        web.side.clock.advance(seconds: 60)
        return try await owner.refresh()
    }

    @Test("the thief's app is refused with all of the session, and its end is recorded")
    func thief() async throws {
        let target = try await owner.letIn("other")
        #expect(try await replay().error == "invalid_grant")
        #expect(try await !web.side.isActive(Array(target.accessToken.utf8)))
        #expect(try await target.refresh().error == "invalid_grant")
        try await CascadeTests.expectCascaded(target.session(), web)
        let answer = try await NativeSSOTests.refresh(web, guest, client: "invest")
        #expect(answer.error == "invalid_grant")
    }

    @Test("without such an app those who share the session stay") func alone() async throws {
        #expect(try await replay().error == "invalid_grant")
        #expect(try await NativeSSOTests.refresh(web, guest, client: "invest").status == 200)
    }
}
