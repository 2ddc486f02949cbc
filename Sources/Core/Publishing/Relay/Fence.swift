package import Domain

/// What PostgreSQL says of its open transactions at one instant.
package struct Fence: Hashable, Sendable {
    /// The database's clock.
    package var at: Instant
    /// No transaction below this one is open any more.
    package var oldestOpen: UInt64
    /// No transaction at or above this one had ended.
    ///
    /// One more than the highest that had; what had begun after that is not below (decision 0092).
    package var nextToBegin: UInt64

    /// Puts a reading together.
    package init(at: Instant, oldestOpen: UInt64, nextToBegin: UInt64) {
        self.at = at
        self.oldestOpen = oldestOpen
        self.nextToBegin = nextToBegin
    }
}
