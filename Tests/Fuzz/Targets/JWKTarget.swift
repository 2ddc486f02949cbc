import Crypto
import OAuth

@testable import Signing

extension Target {
    /// A key that is taken is public, and no size or point of it is a trap.
    static let jwk = Target("jwk") { bytes in
        guard let json = try? JSONReader.read(bytes), let jwk = PublicJWK(json) else { return }
        precondition(json["d"] == nil && json["k"] == nil, "a private key was taken")
        for algorithm in SignatureAlgorithm.allCases {
            _ = try? VerificationKey(jwk.key, for: algorithm)
        }
    }
}
