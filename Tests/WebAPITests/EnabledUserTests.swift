import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// What was on its way when the user was disabled stays over once they are enabled
/// (WireContract 9.7).
@Suite("A user who is enabled again") struct EnabledUserTests {
    @Test("attack: a code of before is not redeemed, one of after is") func code() async throws {
        let side = try await TokenSide()
        let old = try await side.code()
        try await side.run(Subject.self, side.subject.stream) { .disable(.operator) }
        side.clock.advance(seconds: 1)
        let now = side.clock.now
        try await side.run(Subject.self, side.subject.stream) { .enable(at: now) }
        await expect(refusal: .invalidGrant) { try await side.redeem(old) }
        // Within the very millisecond, as whoever logs in at a node whose clock is behind.
        #expect(try await side.redeem(side.code()).accessToken != nil)
    }
}
