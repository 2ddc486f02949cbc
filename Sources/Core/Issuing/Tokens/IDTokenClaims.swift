package import Domain

/// The claims of an ID token (OpenID Connect Core section 2, WireContract 8.4).
package struct IDTokenClaims: Hashable, Sendable {
    package var subject: SubjectID
    /// `aud`: one string, a `client_id`.
    package var audience: ClientID
    package var issuedAt: Instant
    package var expiresAt: Instant
    package var authentication: Authentication
    package var nonce: String?
    /// `sid` names the session and opens nothing.
    package var session: SessionID
    /// `ds_hash`: which device secret goes with it.
    package var deviceSecretHash: TokenDigest?
    /// The key whose signature was found good, of verified claims alone.
    package var key: String?

    package init(
        subject: SubjectID,
        audience: ClientID,
        issuedAt: Instant,
        expiresAt: Instant,
        authentication: Authentication,
        nonce: String? = nil,
        session: SessionID,
        deviceSecretHash: TokenDigest? = nil
    ) {
        self.subject = subject
        self.audience = audience
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.authentication = authentication
        self.nonce = nonce
        self.session = session
        self.deviceSecretHash = deviceSecretHash
    }
}
