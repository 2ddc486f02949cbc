package import Domain

/// Checks the signature and claims of a `private_key_jwt` assertion (RFC 7523, WireContract 6.3).
package protocol ClientAssertionVerifier: Sendable {
    /// The assertion's `jti` and expiry, when everything but its single use is right.
    func verify(
        _ assertion: [UInt8],
        of client: ClientSettings,
        audiences: Set<String>,
        at now: Instant
    ) -> VerifiedAssertion?

    /// The `sub` a well-formed assertion claims, unverified: only to find the client.
    func claimedSubject(of assertion: [UInt8]) -> ClientID?
}
