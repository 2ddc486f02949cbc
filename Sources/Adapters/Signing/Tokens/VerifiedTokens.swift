internal import Crypto
internal import Domain
internal import Runtime

/// Access tokens whose signature was found good of late, by the SHA-256 of their whole text.
///
/// Who calls an API with a token brings it again and again. That a key signed these bytes stays
/// true; whether the key is still believed, the token has expired or its session lives is asked
/// each time (decision 0104).
final class VerifiedTokens: Sendable {
    /// Of those used last, half as many are found for sure, and so many at most: 3 MiB.
    private static let countMax = 32_768

    private let tokens = Guarded(RecentlyUsed<TokenDigest, Void>(countMax: countMax))

    /// Whether `token` was noted, and not forgotten since.
    func contains(_ token: TokenDigest) -> Bool {
        tokens.withLock { $0.find(token) != nil }
    }

    /// Keeps a token whose signature is good.
    func note(_ token: TokenDigest) { tokens.withLock { $0.insert((), for: token) } }
}
