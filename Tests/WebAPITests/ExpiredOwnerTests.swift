import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// With the cascade on, whom an app let in outlives its session's expiry, and not its end (decision
/// 0252).
@Suite("An owner that expires") struct ExpiredOwnerTests {
    private static func letIn() async throws -> (owner: CascadeTests.Holder, CascadeTests.Holder) {
        let web = try await CascadeTests.cascading()
        let id = web.side.project.settings.id
        var settings = try #require(web.side.projects.project(id: id)).settings
        let index = try #require(settings.clients.firstIndex { $0.id.text == "app" })
        settings.clients[index].refreshTokenLifetimeSeconds = 3600
        try await web.side.apply(settings)
        let owner = try await CascadeTests.Holder(web, web.side.code())
        let target = try await owner.letIn("other")
        web.side.clock.advance(seconds: 3601)
        #expect(try await owner.refresh().error == "invalid_grant")
        return (owner, target)
    }

    @Test("ends nobody it let in") func expires() async throws {
        let (_, target) = try await Self.letIn()
        #expect(try await target.refresh().status == 200)
    }

    @Test("ends them still when it is revoked") func isRevoked() async throws {
        let (owner, target) = try await Self.letIn()
        let token = owner.refreshToken
        #expect(try await owner.web.post("/oauth2/revoke", "token=\(token)").status == 200)
        #expect(try await target.refresh().error == "invalid_grant")
        try await CascadeTests.expectCascaded(target.session(), owner.web)
    }
}
