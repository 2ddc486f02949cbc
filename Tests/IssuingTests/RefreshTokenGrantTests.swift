import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

@Suite("Refresh token grant") struct RefreshTokenGrantTests {
    @Test("a refresh answers a new token of each kind") func rotates() async throws {
        let side = try await TokenSide()
        let first = try await side.redeem(side.code())
        let second = try await side.refresh(first.refreshToken)
        #expect(second.refreshToken != nil)
        #expect(second.refreshToken != first.refreshToken)
        #expect(second.accessToken?.text != first.accessToken?.text)
        #expect(second.idToken != nil)
    }

    @Test("a retry inside the grace gets the byte-identical successor") func retries() async throws
    {
        let side = try await TokenSide()
        let first = try await side.redeem(side.code())
        let second = try await side.refresh(first.refreshToken)
        side.clock.advance(seconds: 29)
        let again = try await side.refresh(first.refreshToken)
        #expect(again.refreshToken == second.refreshToken)
        #expect(again.accessToken?.text != second.accessToken?.text)
    }

    @Test("a replay after the grace ends the session") func reuse() async throws {
        let side = try await TokenSide()
        let first = try await side.redeem(side.code())
        let second = try await side.refresh(first.refreshToken)
        side.clock.advance(seconds: 31)
        await expect(refusal: .invalidGrant) { try await side.refresh(first.refreshToken) }
        await expect(refusal: .invalidGrant) { try await side.refresh(second.refreshToken) }
        #expect(try await !side.isActive(second.accessToken?.text))
    }

    @Test("a replay whose successor was used ends the session at once") func reuseInGrace()
        async throws
    {
        let side = try await TokenSide()
        let first = try await side.redeem(side.code())
        let second = try await side.refresh(first.refreshToken)
        let third = try await side.refresh(second.refreshToken)
        await expect(refusal: .invalidGrant) { try await side.refresh(first.refreshToken) }
        await expect(refusal: .invalidGrant) { try await side.refresh(third.refreshToken) }
    }

    @Test("another client's replay ends nothing") func otherClient() async throws {
        let side = try await TokenSide()
        let first = try await side.redeem(side.code())
        let second = try await side.refresh(first.refreshToken)
        side.clock.advance(seconds: 31)
        await expect(refusal: .invalidGrant) {
            try await side.refresh(first.refreshToken, by: "other")
        }
        _ = try await side.refresh(second.refreshToken)
    }

    @Test("a token that was never issued changes nothing", arguments: [4, 20, 60])
    func altered(position: Int) async throws {
        let side = try await TokenSide()
        let first = try await side.redeem(side.code())
        var altered = try #require(first.refreshToken)
        altered[position] = altered[position] == 0x41 ? 0x42 : 0x41
        let before = side.store.commits.count
        await expect(refusal: .invalidGrant) { try await side.refresh(altered) }
        #expect(side.store.commits.count == before)
        _ = try await side.refresh(first.refreshToken)
    }

    @Test("a narrower scope is for this access token only") func narrows() async throws {
        let side = try await TokenSide()
        let first = try await side.redeem(side.code())
        let second = try await side.refresh(first.refreshToken, scope: "openid")
        #expect(second.accessToken?.scope == "openid")
        let third = try await side.refresh(second.refreshToken)
        #expect(third.accessToken?.scope == "offline_access openid")
        await expect(refusal: .invalidScope) {
            try await side.refresh(third.refreshToken, scope: "openid email")
        }
    }

    @Test("a disabled subject gets nothing, and its token is not burnt") func disabled()
        async throws
    {
        let side = try await TokenSide()
        let first = try await side.redeem(side.code())
        try await side.run(Subject.self, side.subject.stream) { .disable(.operator) }
        // That is said first, whatever scope is asked for: no other one would help.
        for scope in ["", "openid email"] {
            await expect(refusal: .invalidGrant) {
                try await side.refresh(first.refreshToken, scope: scope)
            }
        }
        try await side.run(Subject.self, side.subject.stream) { .enable(at: side.clock.now) }
        _ = try await side.refresh(first.refreshToken)
    }

    @Test("the end of the browser-session ends what was opened from it") func browserEnds()
        async throws
    {
        let side = try await TokenSide()
        let first = try await side.redeem(side.code(browser: side.browser))
        try await side.run(BrowserSession.self, side.browser.stream) { .end(.logout) }
        await expect(refusal: .invalidGrant) {
            try await side.refresh(first.refreshToken, scope: "openid email")
        }
        await expect(refusal: .invalidGrant) { try await side.refresh(first.refreshToken) }
        #expect(try await !side.isActive(first.accessToken?.text))
    }

    @Test("a replay older than the digests kept is proven against the log") func old()
        async throws
    {
        let side = try await TokenSide()
        let first = try await side.redeem(side.code())
        var newest = first
        for _ in 0..<(OfflineGrant.digestsKeptMax + 2) {
            newest = try await side.refresh(newest.refreshToken)
        }
        await expect(refusal: .invalidGrant) { try await side.refresh(first.refreshToken) }
        await expect(refusal: .invalidGrant) { try await side.refresh(newest.refreshToken) }
    }

    @Test("a conflict is decided again", arguments: [1, 4]) func conflict(times: Int) async throws {
        let side = try await TokenSide()
        let first = try await side.redeem(side.code())
        for _ in 0..<times { side.store.fail(.conflict) }
        _ = try await side.refresh(first.refreshToken)
    }

    @Test("without an answer of the log the client may try again") func unavailable()
        async throws
    {
        let side = try await TokenSide()
        let first = try await side.redeem(side.code())
        side.store.fail(.unavailable)
        await expect(refusal: .temporarilyUnavailable) {
            try await side.refresh(first.refreshToken)
        }
        side.store.fail(.answerLost)
        await expect(refusal: .temporarilyUnavailable) {
            try await side.refresh(first.refreshToken)
        }
        let second = try await side.refresh(first.refreshToken)
        #expect(second.refreshToken != nil)
    }
}
