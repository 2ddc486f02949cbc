package import Domain

/// Tells the time of day; tests hold one that stands still.
package protocol WallClock: Sendable {
    var now: Instant { get }
    /// Nil unless the time is known to be wrong, or not yet known to be right: then nothing may be
    /// decided by it (Security 13).
    var problem: String? { get }
}
