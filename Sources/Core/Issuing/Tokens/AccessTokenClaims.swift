package import Domain

/// The claims of an access token (RFC 9068 section 2.2, WireContract 8.3); times are seconds.
package struct AccessTokenClaims: Hashable, Sendable {
    package var token: TokenID
    /// `sub`: a subject's id, or the `client_id` for `client_credentials`.
    package var subject: String
    package var client: ClientID
    package var audience: [String]
    package var scope: Scope
    package var issuedAt: Instant
    package var expiresAt: Instant
    /// `sid`; absent for `client_credentials`.
    package var session: SessionID?
    /// `auth_time`, `acr`, `amr`.
    package var authentication: Authentication?
    /// `cnf.jkt`.
    package var confirmation: Thumbprint?
    /// The key whose signature was found good, of verified claims alone.
    package var key: String?

    package init(
        token: TokenID,
        subject: String,
        client: ClientID,
        audience: [String],
        scope: Scope,
        issuedAt: Instant,
        expiresAt: Instant,
        session: SessionID? = nil,
        authentication: Authentication? = nil,
        confirmation: Thumbprint? = nil
    ) {
        self.token = token
        self.subject = subject
        self.client = client
        self.audience = audience
        self.scope = scope
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.session = session
        self.authentication = authentication
        self.confirmation = confirmation
    }
}
