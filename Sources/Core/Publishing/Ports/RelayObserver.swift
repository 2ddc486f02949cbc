/// Hears how long each part of the relay's work took; for metrics, never for decisions.
package protocol RelayObserver: Sendable {
    /// One batch has passed `stage`.
    func passed(_ stage: RelayStage, in time: Duration)
}
