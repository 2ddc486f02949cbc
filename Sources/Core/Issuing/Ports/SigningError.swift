package import Domain

/// Why nothing was signed.
package enum SigningError: Error, Hashable {
    /// The project has no current key of the algorithm, or this node has not its private half.
    case noKey(SigningKeyRing.Algorithm)
}
