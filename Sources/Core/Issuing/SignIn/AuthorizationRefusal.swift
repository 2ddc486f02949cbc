package import OAuth

/// Why an authorization request goes no further (WireContract 4.2).
package enum AuthorizationRefusal: Error, Sendable {
    /// Steps 1–4, and trouble of our own: a page, no redirect.
    case page(OAuthError)
    /// Later: back to the client.
    case redirect(AuthorizationResponse)
}

extension AuthorizationRefusal {
    /// Of a request whose redirect URI is known: what is wrong with it goes back to the client.
    ///
    /// Trouble of our own is a page: the address still has all that was asked, so that loading it
    /// again asks again, and operators see a failure.
    init(_ error: OAuthError, to destination: AuthorizationResponse.Destination) {
        self =
            error.status >= 500
            ? .page(error) : .redirect(AuthorizationResponse(to: destination, failing: error))
    }
}
