package import Domain

/// Hears how far revocations have come; for metrics, never for decisions.
package protocol ProjectorObserver: Sendable {
    /// What was revoked at `revokedAt` has reached `stage` at `now`, by the machine's clock.
    func reached(_ stage: RevocationStage, revokedAt: Instant, at now: Instant)
}
