internal import Crypto
internal import OAuth

extension SignatureAlgorithm {
    /// `alg` of a JWT's header and of a JWK (RFC 7518 section 3.1, RFC 8037 section 3.1).
    var name: String {
        switch self {
        case .es256: "ES256"
        case .rs256: "RS256"
        case .ps256: "PS256"
        case .edDSA: "EdDSA"
        }
    }

    /// Compared byte by byte; nil for any other text.
    init?(named name: String) {
        guard let named = Self.every.first(where: { name.isSame(as: $0.name) }) else { return nil }
        self = named
    }

    // Once: `allCases` may make its array at each look.
    private static let every = allCases
}
