package import Domain

/// Tells the time of day; tests hold one that stands still.
package protocol WallClock: Sendable { var now: Instant { get } }
