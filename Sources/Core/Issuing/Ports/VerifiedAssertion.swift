package import Domain

/// What is left to do: spend `id` in the append that relies on the assertion.
package struct VerifiedAssertion: Hashable, Sendable {
    /// The `jti`, at most 128 bytes.
    package var id: [UInt8]
    package var expiresAt: Instant

    package init(id: [UInt8], expiresAt: Instant) {
        self.id = id
        self.expiresAt = expiresAt
    }
}
