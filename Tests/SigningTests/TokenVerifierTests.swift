import Domain
import Issuing
import Runtime
import Testing

import Signing

/// What a node does with a token by a key that it has not heard of (decision 0052).
@Suite("A token by a new key") struct TokenVerifierTests {
    let keys: ScratchKeys
    let vault: SigningKeyVault
    /// As this node knows it, and as the log has it.
    let old: Project
    let new: Project
    let signer: JWTSigner

    init() throws {
        keys = try ScratchKeys()
        vault = keys.vault()
        let known = try vault.generateNow(.es256)
        let added = try vault.generateNow(.es256)
        old = try Sample.project([known])
        new = try Self.version(2, of: Sample.project([added]))
        signer = JWTSigner(vault)
    }

    private static func version(_ version: Int32, of project: Project) -> Project {
        Project(
            number: project.number,
            settings: project.settings,
            digest: project.digest,
            configuration: project.configuration,
            keys: project.keys,
            keysStream: project.keysStream,
            keysVersion: version
        )
    }

    private func verified(_ token: [UInt8], _ log: StandInLog) async throws -> AccessTokenClaims? {
        try await TokenVerifier(signer, projects: log).accessToken(
            token,
            of: old,
            at: Sample.now,
            by: Deadline(nanoseconds: .max)
        )
    }

    @Test("verifies: the log is asked for the key") func newKey() async throws {
        let log = StandInLog(.has(new))
        let claims = try Sample.accessClaims()
        #expect(try await verified(try signer.sign(claims, for: new), log)?.said == claims)
        #expect(log.timesAsked == 1)
        let identity = try signer.sign(Sample.idClaims(), beside: nil, with: .es256, for: new)
        let verifier = TokenVerifier(signer, projects: log)
        let hint = try await verifier.idToken(
            identity,
            of: old,
            by: Deadline(nanoseconds: .max)
        )
        #expect(hint?.said == (try Sample.idClaims()))
    }

    @Test("is not disbelieved while the log does not answer") func noAnswer() async throws {
        let token = try signer.sign(Sample.accessClaims(), for: new)
        await #expect(throws: StoreError.unavailable) {
            try await verified(token, StandInLog(.isAway))
        }
    }

    @Test("of somebody else is refused, when the log has no such key") func foreign() async throws {
        let theirs = try ScratchKeys()
        let stranger = theirs.vault()
        let key = try stranger.generateNow(.es256)
        let token = try JWTSigner(stranger).sign(
            Sample.accessClaims(),
            for: Sample.project([key])
        )
        let log = StandInLog(.has(old))
        #expect(try await verified(token, log) == nil)
        #expect(log.timesAsked == 1)
        #expect(try await verified(token, StandInLog(.has(new))) == nil)
        // Its directory stays until here.
        withExtendedLifetime(theirs) {}
    }

    @Test("the log is not asked for what no new key could change") func noQuestion() async throws {
        let log = StandInLog(.isAway)
        let good = try signer.sign(Sample.accessClaims(), for: old)
        #expect(try await verified(good, log) != nil)
        var expired = try Sample.accessClaims()
        expired.expiresAt = Sample.now
        let identity = try signer.sign(Sample.idClaims(), beside: nil, with: .es256, for: old)
        var spoilt = good
        spoilt[spoilt.count - 2] ^= 1
        let late = try signer.sign(expired, for: old)
        let malformed = ["", "abc", "a.b", "a.b.c.d"].map { Array($0.utf8) }
        for token in [spoilt, late, identity] + malformed {
            #expect(try await verified(token, log) == nil)
        }
        #expect(log.timesAsked == 0)
    }

    @Test("a key that was taken out of the ring is known: its tokens are refused at once")
    func removed() async throws {
        let key = try vault.generateNow(.es256)
        let signing = try Sample.project([key])
        let token = try signer.sign(Sample.accessClaims(), for: signing)
        let log = StandInLog(.isAway)
        let claims = try await TokenVerifier(signer, projects: log).accessToken(
            token,
            of: Sample.project([key], status: .removed),
            at: Sample.now,
            by: Deadline(nanoseconds: .max)
        )
        #expect(claims == nil)
        #expect(log.timesAsked == 0)
    }
}

/// A log that has other keys, or does not answer.
private final class StandInLog: ProjectDirectory {
    enum Answer: Sendable {
        case has(Project)
        case isAway
    }

    private let answer: Answer
    private let asked = Guarded(0)

    init(_ answer: Answer) { self.answer = answer }

    var timesAsked: Int { asked.current }

    func project(host: String) -> Project? { nil }

    func project(id: ProjectID) -> Project? { nil }

    var all: [Project] { [] }

    func reload(_ number: ProjectNumber, by deadline: Deadline) async throws(StoreError) {}

    func withCurrentKeys(_ project: Project, by deadline: Deadline)
        async throws(StoreError) -> Project
    {
        asked.withLock { $0 += 1 }
        switch answer {
        case .has(let project): return project
        case .isAway: throw .unavailable
        }
    }
}
