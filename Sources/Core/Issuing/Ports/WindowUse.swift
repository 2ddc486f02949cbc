package import Domain

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
