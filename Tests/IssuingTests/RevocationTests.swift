import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

@Suite("Revocation") struct RevocationTests {
    private func revoke(
        _ token: [UInt8]?,
        _ side: TokenSide,
        as asker: Revocation.Asker = .holder
    ) async throws {
        try await side.revocation.revoke(
            Revocation.Request(
                token: token ?? [],
                asker: asker,
                project: side.project,
                deadline: Fixture.noDeadline
            )
        )
    }

    @Test("a refresh token of any generation ends its session") func anyGeneration()
        async throws
    {
        let side = try await TokenSide()
        let first = try await side.redeem(side.code())
        let second = try await side.refresh(first.refreshToken)
        try await revoke(first.refreshToken, side)
        await expect(refusal: .invalidGrant) { try await side.refresh(second.refreshToken) }
        #expect(try await !side.isActive(second.accessToken?.text))
    }

    @Test("an access token ends alone") func accessToken() async throws {
        let side = try await TokenSide()
        let first = try await side.redeem(side.code())
        let second = try await side.refresh(first.refreshToken)
        try await revoke(first.accessToken?.text, side)
        #expect(try await !side.isActive(first.accessToken?.text))
        #expect(try await side.isActive(second.accessToken?.text))
    }

    @Test("an access token that has ended here ends also where it has not", arguments: [0, 3])
    func lastSeconds(_ late: Int64) async throws {
        let side = try await TokenSide()
        let tokens = try await side.redeem(side.code())
        let life = try #require(tokens.accessToken?.expiresInSeconds)
        side.clock.advance(seconds: life + late)
        try await revoke(tokens.accessToken?.text, side)
        // A node whose clock is behind.
        side.clock.advance(seconds: -late - 1)
        #expect(try await !side.isActive(tokens.accessToken?.text))
    }

    @Test("unknown, empty and foreign tokens change nothing") func foreign() async throws {
        let side = try await TokenSide()
        let tokens = try await side.redeem(side.code())
        let before = side.store.commits.count
        let other = try side.caller("other").client
        try await revoke(tokens.refreshToken, side, as: .client(other, assertion: nil))
        try await revoke(Array("rt_nonsense".utf8), side)
        try await revoke([], side)
        #expect(side.store.commits.count == before)
    }

    @Test("a made-up secret of an old generation costs one look, however long the history is")
    func madeUp() async throws {
        let side = try await TokenSide()
        var tokens = try await side.redeem(side.code())
        let text = try #require(tokens.refreshToken)
        let first = try #require(RefreshToken(reading: text, digester: side.digester))
        for _ in 0..<4 { tokens = try await side.refresh(tokens.refreshToken) }
        let recorded = RecordedTokens(store: side.store)
        for (digest, isFound) in [(first.digest, true), (side.digester.sha256([1]), false)] {
            let before = side.store.historiesRead
            let found = try await recorded.contains(
                digest,
                family: 1,
                generation: 1,
                in: first.session.stream,
                by: Fixture.noDeadline
            )
            #expect(found == isFound)
            #expect(side.store.historiesRead == before + 1)
        }
    }

    @Test("a confidential client's token needs its authentication") func confidential()
        async throws
    {
        let side = try await TokenSide()
        let tokens = try await side.redeem(side.code(for: "web"), by: "web")
        await expect(refusal: .invalidClient) {
            try await revoke(tokens.refreshToken, side)
        }
        let web = try side.caller("web").client
        try await revoke(tokens.refreshToken, side, as: .client(web, assertion: nil))
        await expect(refusal: .invalidGrant) {
            try await side.refresh(tokens.refreshToken, by: "web")
        }
    }

    @Test("without a commit it is 503") func unavailable() async throws {
        let side = try await TokenSide()
        let tokens = try await side.redeem(side.code())
        side.store.fail(.unavailable)
        await expect(refusal: .temporarilyUnavailable) {
            try await revoke(tokens.refreshToken, side)
        }
    }
}
