import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

@Suite("Userinfo") struct UserInfoTests {
    private func claims(_ token: [UInt8]?, _ side: TokenSide) async throws -> UserInfo.Claims {
        let userInfo = UserInfo(
            liveness: side.liveness,
            store: side.store,
            sealer: InMemorySealer(),
            access: side.access,
            clock: side.clock
        )
        let project = try Fixture.some(side.projects.project(id: side.project.settings.id))
        let presented = AccessProofs.Presented(
            token: token ?? [],
            scheme: .bearer,
            request: DPoPProofs.Request(headers: [], method: "GET", url: "")
        )
        return try await userInfo.claims(for: presented, in: project, by: Fixture.noDeadline)
    }

    @Test("a live token tells who its user is") func live() async throws {
        let side = try await TokenSide()
        let tokens = try await side.redeem(side.code())
        let claims = try await claims(tokens.accessToken?.text, side)
        #expect(claims.subject == side.subject.description)
    }

    @Test("an ended session is final, a disabled client's is not") func endings() async throws {
        let side = try await TokenSide()
        let tokens = try await side.redeem(side.code())
        var settings = side.project.settings
        settings.clients[0].enabled = false
        try await side.apply(settings)
        await expect(refusal: .invalidToken) {
            try await claims(tokens.accessToken?.text, side)
        }
        try await side.run(Subject.self, side.subject.stream) { .disable(.operator) }
        settings.clients[0].enabled = true
        try await side.apply(settings)
        await expect(refusal: .invalidGrant) {
            try await claims(tokens.accessToken?.text, side)
        }
    }

    @Test("a token without openid is not for userinfo") func scope() async throws {
        let side = try await TokenSide()
        let tokens = try await side.redeem(side.code(scope: "payments.read"))
        await expect(refusal: .invalidToken) {
            try await claims(tokens.accessToken?.text, side)
        }
    }
}
