import Crypto
import Domain
import Issuing
import OAuth
import Testing

import Signing

/// That a signature is remembered at all is held by the counts of instructions (Tests/Counts).
@Suite("A token whose signature is remembered") struct VerifiedTokenTests {
    let keys: ScratchKeys
    let key: GeneratedKey
    let project: Project
    let signer: JWTSigner
    let claims: AccessTokenClaims
    /// It was asked for before.
    let token: [UInt8]

    init() throws {
        keys = try ScratchKeys()
        let vault = keys.vault()
        key = try vault.generateNow(.es256)
        project = try Sample.project([key])
        signer = JWTSigner(vault)
        claims = try Sample.accessClaims()
        token = try signer.sign(claims, for: project)
        #expect(signer.verifyAccessToken(token, of: project, at: Sample.now)?.said == claims)
    }

    @Test("says the same again") func again() {
        #expect(signer.verifyAccessToken(token, of: project, at: Sample.now)?.said == claims)
    }

    @Test("expires all the same") func expiry() {
        #expect(signer.verifyAccessToken(token, of: project, at: claims.expiresAt) == nil)
    }

    @Test(
        "is worth what its key is worth now",
        arguments: [
            (SigningKeyRing.Status.staged, true), (.current, true), (.previous, true),
            (.removed, false), (.compromised(issuedBefore: Instant(seconds: 0)), false),
        ]
    )
    func ring(_ status: SigningKeyRing.Status, _ verifies: Bool) throws {
        let later = try Sample.project([key], status: status)
        #expect((signer.verifyAccessToken(token, of: later, at: Sample.now) != nil) == verifies)
    }

    @Test("is of no use to a project without its key, nor to one of another origin")
    func otherProject() throws {
        let stranger = try Sample.project([try keys.vault().generateNow(.es256)])
        #expect(signer.verifyAccessToken(token, of: stranger, at: Sample.now) == nil)
        let elsewhere = try Sample.project([key], origin: "https://auth.example.org")
        #expect(signer.verifyAccessToken(token, of: elsewhere, at: Sample.now) == nil)
    }

    @Test("lends its good name to no byte that differs") func tampering() {
        for index in token.indices {
            var changed = token
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : 0x41
            let read = signer.verifyAccessToken(changed, of: project, at: Sample.now)
            #expect(read == nil, "byte \(index)")
        }
        for longer in [token + [0x2E], token + [0x41], [0x41] + token] {
            #expect(signer.verifyAccessToken(longer, of: project, at: Sample.now) == nil)
        }
    }

    @Test("is still no ID token") func typesApart() throws {
        #expect(signer.verifyIDToken(token, of: project) == nil)
        let identity = try signer.sign(
            Sample.idClaims(),
            beside: nil,
            with: .es256,
            for: project
        )
        #expect(signer.verifyIDToken(identity, of: project) != nil)
        #expect(signer.verifyAccessToken(identity, of: project, at: Sample.now) == nil)
    }

    @Test("a signature that was refused is refused again") func refusedAgain() {
        var forged = token
        let last = forged.count - 2
        forged[last] = forged[last] == UInt8(ascii: "A") ? UInt8(ascii: "B") : 0x41
        for _ in 0..<3 {
            #expect(signer.verifyAccessToken(forged, of: project, at: Sample.now) == nil)
        }
    }

    @Test("says what it said, whoever was asked about before it") func others() throws {
        var all: [(token: [UInt8], claims: AccessTokenClaims)] = []
        for index in 0..<64 {
            var other = claims
            other.subject = "subject-\(index)"
            other.client = try #require(ClientID("client-\(index / 3 % 2)"))
            other.scope = try #require(Scope(index % 3 == 0 ? "openid" : "openid email"))
            // é, and e with an accent: equal to Swift, not the same bytes.
            let path = ["a", "\u{E9}", "e\u{301}"][index / 2 % 3]
            other.audience = ["https://api.example.com/\(path)"]
            // One that is too long to be remembered.
            if index == 40 { other.audience += (0..<64).map { "https://\($0).example.com/a/path" } }
            all.append((try signer.sign(other, for: project), other))
        }
        for _ in 0..<3 {
            for (token, claims) in all {
                let read = signer.verifyAccessToken(token, of: project, at: Sample.now)
                #expect(read?.said == claims)
                let same = read.map { zip($0.audience, claims.audience).allSatisfy(Self.isSame) }
                #expect(same == true)
            }
        }
    }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.elementsEqual(other.utf8)
    }
}
