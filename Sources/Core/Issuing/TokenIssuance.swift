package import Domain
package import OAuth

/// Makes the tokens of a session once its commit is in (WireContract 8.3, 8.4).
package struct TokenIssuance: Sendable {
    private let signer: any TokenSigner

    package init(_ signer: any TokenSigner) { self.signer = signer }

    /// What a session hands to a client.
    package struct Grant: Sendable {
        package var token: TokenID
        package var subject: SubjectID
        package var session: SessionID
        package var client: ClientID
        package var scope: Scope
        package var audience: [String]
        package var authentication: Authentication
        package var nonce: String?
        package var refreshToken: [UInt8]?
        package var deviceSecret: DeviceSecrets.Handed?
        /// The key the access token is bound to.
        package var confirmation: Thumbprint?
        package var issuedAt: Instant
        package var expiresAt: Instant
    }

    /// Access token, ID token with `openid`, and the refresh token given.
    ///
    /// - Throws: `server_error` when the project has no key to sign with.
    package func response(_ grant: Grant, in project: Project)
        throws(OAuthError) -> TokenResponse
    {
        do {
            let access = try signer.sign(claims(grant), for: project)
            let identity =
                grant.scope.contains("openid")
                ? try signer.sign(
                    identity(grant, in: project),
                    beside: access,
                    with: project.idTokenAlgorithm(of: grant.client),
                    for: project
                ) : nil
            return TokenResponse(
                accessToken: TokenResponse.AccessToken(
                    text: access,
                    type: grant.confirmation == nil ? .bearer : .dpop,
                    expiresInSeconds: max(0, grant.expiresAt.seconds - grant.issuedAt.seconds),
                    scope: grant.scope.text
                ),
                refreshToken: grant.refreshToken,
                idToken: identity,
                deviceSecret: grant.deviceSecret?.text
            )
        } catch { throw OAuthError(error) }
    }

    private func claims(_ grant: Grant) -> AccessTokenClaims {
        AccessTokenClaims(
            token: grant.token,
            subject: grant.subject.description,
            client: grant.client,
            audience: grant.audience,
            scope: grant.scope,
            issuedAt: grant.issuedAt,
            expiresAt: grant.expiresAt,
            session: grant.session,
            authentication: grant.authentication,
            confirmation: grant.confirmation
        )
    }

    private func identity(_ grant: Grant, in project: Project) -> IDTokenClaims {
        IDTokenClaims(
            subject: grant.subject,
            audience: grant.client,
            issuedAt: grant.issuedAt,
            expiresAt: grant.issuedAt.adding(seconds: project.settings.idTokenLifetimeSeconds),
            authentication: grant.authentication,
            nonce: grant.nonce,
            session: grant.session,
            deviceSecretHash: grant.deviceSecret?.hash
        )
    }
}
