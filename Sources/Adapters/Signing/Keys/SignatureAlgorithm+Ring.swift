internal import Crypto
internal import Domain

extension SignatureAlgorithm {
    /// The algorithm of a key of a project's ring.
    init(_ algorithm: SigningKeyRing.Algorithm) {
        switch algorithm {
        case .es256: self = .es256
        case .rs256: self = .rs256
        case .edDSA: self = .edDSA
        }
    }
}
