import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

@Suite("Authorization code grant") struct AuthorizationCodeGrantTests {
    @Test("a code opens a session with the tokens its scope names") func redeems() async throws {
        let side = try await TokenSide()
        let full = try await side.redeem(side.code())
        #expect(full.accessToken?.scope == "offline_access openid")
        #expect(full.refreshToken?.count == 75)
        #expect(full.idToken != nil)
        let brief = try await side.redeem(side.code(scope: "payments.read"))
        #expect(brief.refreshToken == nil)
        #expect(brief.idToken == nil)
        #expect(try await side.isActive(full.accessToken?.text))
    }

    @Test("no access token outlives a session that lives shorter (I8)") func shortSession()
        async throws
    {
        let side = try await TokenSide()
        var settings = side.project.settings
        for index in settings.clients.indices {
            settings.clients[index].refreshTokenLifetimeSeconds = 600
        }
        try await side.apply(settings)
        let tokens = try await side.redeem(side.code())
        #expect(tokens.accessToken?.expiresInSeconds == 600)
    }

    @Test("a code works once; a quick replay changes nothing") func once() async throws {
        let side = try await TokenSide()
        let code = try await side.code()
        let tokens = try await side.redeem(code)
        side.clock.advance(seconds: 9)
        await expect(refusal: .invalidGrant) { try await side.redeem(code) }
        _ = try await side.refresh(tokens.refreshToken)
    }

    @Test("a late replay ends everything issued from the code") func lateReplay() async throws {
        let side = try await TokenSide()
        let code = try await side.code()
        let tokens = try await side.redeem(code)
        side.clock.advance(seconds: 11)
        await expect(refusal: .invalidGrant) { try await side.redeem(code) }
        let last = try #require(side.store.commits.last)
        let replay = try #require(last.streams.first { $0.kind == .authorizationCode })
        // The end says what it comes from: the redemption, behind which the replay is noted.
        #expect(last.attributes.cause == Cause(stream: replay.stream, version: replay.expected))
        #expect(last.streams.contains { $0.events.contains(.offlineGrant(.revoked(.codeReplay))) })
        await expect(refusal: .invalidGrant) { try await side.refresh(tokens.refreshToken) }
    }

    @Test("a replay after a token was used ends everything at once") func usedReplay()
        async throws
    {
        let side = try await TokenSide()
        let code = try await side.code()
        let tokens = try await side.redeem(code)
        side.clock.advance(seconds: 1)
        let next = try await side.refresh(tokens.refreshToken)
        await expect(refusal: .invalidGrant) { try await side.redeem(code) }
        await expect(refusal: .invalidGrant) { try await side.refresh(next.refreshToken) }
    }

    @Test("a use at the instant of the redemption is a use") func usedAtOnce() async throws {
        let side = try await TokenSide()
        let code = try await side.code()
        let tokens = try await side.redeem(code)
        let next = try await side.refresh(tokens.refreshToken)
        await expect(refusal: .invalidGrant) { try await side.redeem(code) }
        await expect(refusal: .invalidGrant) { try await side.refresh(next.refreshToken) }
    }

    @Test("a retry of a reauthentication ends nothing, however much the session was used")
    func retriedRenewal() async throws {
        let side = try await TokenSide()
        let first = try await side.redeem(try await side.code())
        let second = try await side.refresh(first.refreshToken)
        let text = try #require(second.refreshToken)
        let known = try #require(RefreshToken(reading: text, digester: side.digester))
        let code = try await side.code(scope: "openid", renewing: known.session)
        _ = try await side.redeem(code)
        await expect(refusal: .invalidGrant) { try await side.redeem(code) }
        _ = try await side.refresh(second.refreshToken)
    }

    @Test("a replayed reauthentication ends its access token, and not the session it renewed")
    func replayedRenewal() async throws {
        let side = try await TokenSide()
        let first = try await side.redeem(try await side.code())
        let text = try #require(first.refreshToken)
        let known = try #require(RefreshToken(reading: text, digester: side.digester))
        let code = try await side.code(scope: "openid", renewing: known.session)
        let renewed = try await side.redeem(code)
        side.clock.advance(seconds: 11)
        await expect(refusal: .invalidGrant) { try await side.redeem(code) }
        #expect(try await !side.isActive(renewed.accessToken?.text))
        #expect(try await side.isActive(first.accessToken?.text))
        _ = try await side.refresh(first.refreshToken)
    }

    @Test("a replay without the verifier ends nothing") func thief() async throws {
        let side = try await TokenSide()
        let code = try await side.code()
        let tokens = try await side.redeem(code)
        side.clock.advance(seconds: 11)
        let wrong = String(repeating: "x", count: 43)
        await expect(refusal: .invalidGrant) { try await side.redeem(code, verifier: wrong) }
        _ = try await side.refresh(tokens.refreshToken)
    }

    @Test("another client's attempt burns nothing") func otherClient() async throws {
        let side = try await TokenSide()
        let code = try await side.code()
        await expect(refusal: .invalidGrant) { try await side.redeem(code, by: "other") }
        _ = try await side.redeem(code)
    }

    @Test("an expired code is refused") func expired() async throws {
        let side = try await TokenSide()
        let code = try await side.code()
        side.clock.advance(seconds: 60)
        await expect(refusal: .invalidGrant) { try await side.redeem(code) }
    }

    @Test("a verifier outside 43 to 128 unreserved characters is a malformed request")
    func malformedVerifier() async throws {
        let side = try await TokenSide()
        let code = try await side.code()
        for verifier in ["short", String(repeating: "x", count: 129), "é" + TokenSide.verifier] {
            await expect(refusal: .invalidRequest) {
                try await side.redeem(code, verifier: verifier)
            }
        }
        _ = try await side.redeem(code)
    }

    @Test("a client disabled meanwhile gets nothing") func disabledClient() async throws {
        let side = try await TokenSide()
        let code = try await side.code()
        let caller = try side.caller("app")
        var settings = side.project.settings
        settings.clients[0].enabled = false
        side.projects.replace(
            Project(
                number: side.project.number,
                settings: settings,
                digest: side.project.digest,
                configuration: StreamGuard(
                    stream: side.project.configuration.stream,
                    version: 2
                ),
                keys: side.project.keys,
                keysStream: side.project.keysStream,
                keysVersion: 0
            )
        )
        let applied = ProjectConfig.Applied(
            id: settings.id,
            digest: side.digester.sha256([1]),
            document: [1]
        )
        try await side.run(ProjectConfig.self, side.project.configuration.stream) {
            .apply(applied, expected: side.project.digest, changed: ["oauth"])
        }
        // The request was admitted under the old configuration; its append is not.
        await expect(refusal: .invalidClient) {
            try await side.endpoint.respond(
                to: RequestParameters([
                    "grant_type": "authorization_code", "code": code,
                    "redirect_uri": TokenSide.redirectURI,
                    "code_verifier": TokenSide.verifier,
                ]),
                from: caller
            )
        }
    }
}
