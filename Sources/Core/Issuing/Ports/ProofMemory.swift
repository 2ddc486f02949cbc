package import Domain

/// Which proofs this node has seen at its resources: they append nothing that could remember.
package protocol ProofMemory: Sendable {
    /// Notes that a proof is used, and says what is known of it; `holder` pays for its place.
    ///
    /// It is remembered until `use` expires, when its times refuse it.
    func note(_ use: SingleUse, of holder: ProofHolder, at now: Instant) -> ProofNovelty
}
