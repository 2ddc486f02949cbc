import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

/// An id token by a key that another node's operator has just made the one that signs.
@Suite("A hint by a key that this node has not heard of") struct UnheardKeyTests {
    /// The project as the log has it: `next` signs, which this node does not know yet.
    private static func rotated(_ side: SignInSide) -> Project {
        let now = side.project
        let key = SigningKeyRing.Key(
            kid: "next",
            algorithm: .es256,
            publicKey: Array("{}".utf8),
            status: .current,
            stagedAt: side.clock.now
        )
        return Project(
            number: now.number,
            settings: now.settings,
            digest: now.digest,
            configuration: now.configuration,
            keys: SigningKeyRing.State(keys: [key]),
            keysStream: now.keysStream,
            keysVersion: now.keysVersion + 2
        )
    }

    private static func hint(_ side: SignInSide, for project: Project) throws -> String {
        let claims = IDTokenClaims(
            subject: SubjectID(.permanent(at: side.clock.now, from: SeededEntropy(seed: 1))),
            audience: try Fixture.some(ClientID("web")),
            issuedAt: side.clock.now,
            expiresAt: side.clock.now.adding(seconds: 300),
            authentication: Authentication(methods: [.otp], at: side.clock.now.wholeMilliseconds),
            session: SessionID(.timeOrdered(at: side.clock.now, from: SeededEntropy(seed: 2)))
        )
        let token = try side.signer.sign(claims, beside: nil, with: .es256, for: project)
        return String(decoding: token, as: UTF8.self)
    }

    @Test("is looked up before it is refused") func lookedUp() async throws {
        let side = try await SignInSide()
        let project = Self.rotated(side)
        let changes = ["id_token_hint": try Self.hint(side, for: project)]
        var browser = TestBrowser(side)
        side.projects.replaceLater(project)
        guard case .login = try await browser.authorize("web", changes) else {
            return #expect(Bool(false))
        }
        #expect(side.project.keysVersion == project.keysVersion)
    }

    @Test("that the log has not either is refused") func unknown() async throws {
        let side = try await SignInSide()
        let changes = ["id_token_hint": try Self.hint(side, for: Self.rotated(side))]
        var browser = TestBrowser(side)
        await #expect(throws: AuthorizationRefusal.self) {
            try await browser.authorize("web", changes)
        }
    }
}
