package import Domain

/// Why nothing was signed.
package enum SigningError: Error, Hashable {
    /// The project has no current key of the algorithm, or this node has not its private half.
    case noKey(SigningKeyRing.Algorithm)
    /// The current key of the algorithm is here, and did not sign.
    case failed(SigningKeyRing.Algorithm)
}

extension SigningError: CustomStringConvertible {
    /// For the log: a caller is told the same of both.
    package var description: String {
        switch self {
        case .noKey(let algorithm): "no current key here: \(algorithm.rawValue)"
        case .failed(let algorithm): "the key is here and did not sign: \(algorithm.rawValue)"
        }
    }
}
