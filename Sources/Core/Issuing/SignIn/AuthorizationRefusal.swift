package import OAuth

/// Why an authorization request goes no further (wire.md section 4.2).
package enum AuthorizationRefusal: Error, Sendable {
    /// Steps 1–4: a page, no redirect.
    case page(OAuthError)
    /// Later: back to the client.
    case redirect(AuthorizationResponse)
}
