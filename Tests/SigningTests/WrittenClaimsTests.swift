import Crypto
import Domain
import Issuing
import OAuth
import Testing

import Signing

/// Claims as this program writes them are read without the reader of any JSON.
///
/// A space behind the first brace is what no program writes: it makes the other reader take them.
@Suite("Claims in the form in which they are written") struct WrittenClaimsTests {
    let keys: ScratchKeys
    let project: Project
    let signer: JWTSigner

    init() throws {
        keys = try ScratchKeys()
        let vault = keys.vault()
        project = try Sample.project([try vault.generateNow(.es256)])
        signer = JWTSigner(vault)
    }

    @Test("say of an access token what any JSON says, whatever is damaged", arguments: 0..<4)
    func accessToken(_ variant: Int) throws {
        var claims = try Sample.accessClaims()
        if variant == 1 {
            claims.scope = .empty
            claims.session = nil
            claims.confirmation = nil
        }
        if variant == 2 {
            claims.audience = ["https://api.example.com/\u{E9}"]
            claims.authentication = nil
            claims.subject = "a \"quoted\" subject"
        }
        if variant == 3 {
            claims.scope = try #require(Scope("openid \(BuiltInScopes.fullAccess)"))
            claims.confirmation = nil
        }
        let written = try payload(of: signer.sign(claims, for: project))
        #expect(try access(written)?.said == claims)
        for damaged in Self.damaged(written) {
            #expect(
                try access(damaged) == access(Self.loosened(damaged)),
                "\(Sample.text(damaged))"
            )
        }
    }

    @Test("say of an ID token what any JSON says, whatever is damaged", arguments: 0..<3)
    func idToken(_ variant: Int) throws {
        var claims = try Sample.idClaims()
        if variant > 0 { claims.nonce = variant == 1 ? nil : "n-0S6_WzA2Mj" }
        if variant == 2 { claims.deviceSecretHash = TokenDigest(words: (1, 2, 3, 4)) }
        let token = try signer.sign(
            claims,
            beside: variant == 1 ? nil : Array("token".utf8),
            with: .es256,
            for: project
        )
        let written = try payload(of: token)
        #expect(try identity(written)?.said == claims)
        for damaged in Self.damaged(written) {
            #expect(
                try identity(damaged) == identity(Self.loosened(damaged)),
                "\(Sample.text(damaged))"
            )
        }
    }

    private func payload(of token: [UInt8]) throws -> [UInt8] {
        let parts = token.split(separator: UInt8(ascii: "."))
        return try #require(Base64URL.decode(parts[1]))
    }

    private func access(_ payload: [UInt8]) throws -> AccessTokenClaims? {
        let token = try signer.sign(type: "at+jwt", claims: payload, for: project)
        return signer.verifyAccessToken(token, of: project, at: Instant(seconds: 0))
    }

    private func identity(_ payload: [UInt8]) throws -> IDTokenClaims? {
        let token = try signer.sign(type: "JWT", claims: payload, for: project)
        return signer.verifyIDToken(token, of: project)
    }

    private static func loosened(_ payload: [UInt8]) -> [UInt8] {
        payload.first == UInt8(ascii: "{")
            ? [UInt8(ascii: "{"), UInt8(ascii: " ")] + payload.dropFirst() : payload
    }

    /// One byte lost, or another one in its place, or one more.
    private static func damaged(_ payload: [UInt8]) -> [[UInt8]] {
        payload.indices.flatMap { index in
            let others = Array("\"\\,:}]0a ".utf8) + [0x1F, 0x7F, 0xC3]
            let other = others[(index * 7) % others.count]
            let (before, after) = (payload[..<index], payload[(index + 1)...])
            return [before + after, before + [other] + after, before + [other] + payload[index...]]
        }.map { Array($0) }
    }
}
