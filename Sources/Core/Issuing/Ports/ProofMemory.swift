package import Domain

/// Which proofs this node has seen at its resources: they append nothing that could remember.
package protocol ProofMemory: Sendable {
    /// Notes that a proof by `key` is used, and says what is known of it.
    ///
    /// It is remembered until `use` expires, when its times refuse it.
    func note(_ use: SingleUse, by key: Thumbprint, at now: Instant) -> ProofNovelty
}
