package import Domain

/// Exact counters shared by all nodes (security.md section 9, limits of kind P).
package protocol RateWindows: Sendable {
    /// Counts one use of each and tells whether all are still within their maximum.
    ///
    /// When one is exceeded nothing is counted.
    func take(_ uses: [WindowUse], at now: Instant, by deadline: Deadline)
        async throws(StoreError) -> Bool
}

/// One counter of one window.
package struct WindowUse: Hashable, Sendable {
    /// HMAC of what is limited: 32 bytes.
    package var key: TokenDigest
    package var windowSeconds: Int64
    package var maximum: Int

    package init(key: TokenDigest, windowSeconds: Int64, maximum: Int) {
        self.key = key
        self.windowSeconds = windowSeconds
        self.maximum = maximum
    }
}
