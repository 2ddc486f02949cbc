package import Domain

/// Exact counters shared by all nodes (Security 9, limits of kind P).
package protocol RateWindows: Sendable {
    /// Counts one use of each and tells whether all are still within their maximum.
    ///
    /// When one is exceeded nothing is counted.
    func take(_ uses: [WindowUse], at now: Instant, by deadline: Deadline)
        async throws(StoreError) -> Bool

    /// Whether each of them would still be within its maximum with one use more; counts nothing.
    func haveRoom(_ uses: [WindowUse], at now: Instant, by deadline: Deadline)
        async throws(StoreError) -> Bool

    /// Whether a window has counted anything; counts nothing.
    func hasCounted(_ use: WindowUse, at now: Instant, by deadline: Deadline)
        async throws(StoreError) -> Bool
}
