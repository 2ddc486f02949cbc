internal import Crypto
internal import Domain
internal import Issuing
internal import OAuth
internal import Runtime

/// Access tokens whose signature was found good of late, by the SHA-256 of their whole text, and
/// what they say.
///
/// Who calls an API with a token brings it again and again. That a key signed these bytes stays
/// true, and so does what the bytes say; whether the key is still believed, the token has expired
/// or its session lives is asked each time (decision 0104).
final class VerifiedTokens: Sendable {
    /// What a token says, read for this issuer.
    private final class Reading: Sendable {
        let issuer: String
        let claims: AccessTokenClaims

        init(_ claims: AccessTokenClaims, for issuer: String) {
            self.issuer = issuer
            self.claims = claims
        }
    }

    private struct Memory {
        var tokens = RecentlyUsed<TokenDigest, Reading>(countMax: VerifiedTokens.countMax)
        var last: Reading?
    }

    /// Of those used last, half as many are found for sure, and so many at most.
    private static let countMax = 32_768
    /// A longer one is read each time.
    private static let bytesMax = 2_048

    private let memory = Guarded(Memory())

    /// What `token` says, when it was noted for this issuer and not forgotten since.
    func claims(of token: TokenDigest, for issuer: String) -> AccessTokenClaims? {
        let found = memory.withLock { $0.tokens.find(token) }
        guard let found, found.issuer.isSame(as: issuer) else { return nil }
        return found.claims
    }

    /// Keeps what a token of so many bytes says, whose signature is good.
    func note(_ claims: AccessTokenClaims, of token: TokenDigest, bytes: Int, for issuer: String) {
        guard bytes <= Self.bytesMax else { return }
        memory.withLock { memory in
            var claims = claims
            // Most tokens are for the same; what they share is there once.
            if let last = memory.last?.claims {
                if last.client == claims.client { claims.client = last.client }
                if last.scope == claims.scope { claims.scope = last.scope }
                if last.audience.elementsEqual(claims.audience, by: { $0.isSame(as: $1) }) {
                    claims.audience = last.audience
                }
            }
            let reading = Reading(claims, for: issuer)
            memory.last = reading
            memory.tokens.insert(reading, for: token)
        }
    }
}
