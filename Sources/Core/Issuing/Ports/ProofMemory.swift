package import Domain

/// Which proofs this node has seen at its resources: they append nothing that could remember.
package protocol ProofMemory: Sendable {
    /// Whether it is the first time; from then on it is not, until the use expires.
    func isFirst(_ use: SingleUse, at now: Instant) -> Bool
}
