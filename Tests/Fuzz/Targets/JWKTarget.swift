import Crypto
import OAuth

@testable import Signing

extension Target {
    /// A key that is taken is public, and no size or point of it is a trap.
    static let jwk = Target("jwk") { bytes in
        guard let json = try? JSONReader.read(bytes), let jwk = PublicJWK(json) else {
            return false
        }
        precondition(json["d"] == nil && json["k"] == nil, "a private key was taken")
        let keys = SignatureAlgorithm.allCases.compactMap {
            try? VerificationKey(jwk.key, for: $0)
        }
        return !keys.isEmpty
    }
}
