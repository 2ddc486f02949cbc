import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

/// A refresh token is active exactly when a refresh would take it (WireContract 5.3 and 9.2).
@Suite("Introspection of refresh tokens") struct IntrospectionTests {
    private struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// How many tokens came after it, and how long ago the newest did.
        var successors = 0
        var seconds: Int64 = 0
        var grace: Int64 = 30
        var isActive: Bool
    }

    private static let rows = [
        Row(testDescription: "the current one", isActive: true),
        Row(testDescription: "the one before it, inside the grace", successors: 1, isActive: true),
        Row(
            testDescription: "the same in the last second of the grace",
            successors: 1,
            seconds: 29,
            isActive: true
        ),
        Row(
            testDescription: "the same when the grace is over",
            successors: 1,
            seconds: 30,
            isActive: false
        ),
        Row(testDescription: "the same without a grace", successors: 1, grace: 0, isActive: false),
        Row(testDescription: "one whose successor was used", successors: 2, isActive: false),
        Row(testDescription: "one that only the log remembers", successors: 9, isActive: false),
    ]

    @Test("says what a refresh would", arguments: rows)
    private func agrees(_ row: Row) async throws {
        let side = try await TokenSide()
        var settings = side.project.settings
        settings.clients[0].refreshTokenGraceSeconds = row.grace
        try await side.apply(settings)
        let token = try #require(try await side.redeem(side.code()).refreshToken)
        var newest = token
        for _ in 0..<row.successors {
            newest = try #require(try await side.refresh(newest).refreshToken)
        }
        side.clock.advance(seconds: row.seconds)
        #expect(try await side.isActive(token, asked: "app") == row.isActive)
        #expect(try await side.isActive(newest, asked: "app"))
        guard row.isActive else {
            return await expect(refusal: .invalidGrant) { try await side.refresh(token) }
        }
        #expect(try await side.refresh(token).refreshToken != nil)
    }

    @Test("a spent one expires with its grace, the current one with its session") func expiry()
        async throws
    {
        let side = try await TokenSide()
        let first = try await side.redeem(side.code()).refreshToken
        let second = try await side.refresh(first).refreshToken
        let now = side.clock.now.seconds
        for (token, life) in [(first, 30), (second, 2_592_000)] as [([UInt8]?, Int64)] {
            let caller = try side.caller("app")
            let said = try await side.introspection.introspect(try #require(token), for: caller)
            guard case .active(let description) = said else {
                Issue.record("inactive")
                continue
            }
            #expect(description.expiresAt == now + life)
        }
    }
}
