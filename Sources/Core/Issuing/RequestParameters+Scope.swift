package import Domain
package import OAuth

extension RequestParameters {
    /// The `scope` parameter (RFC 6749 section 3.3); nil when absent.
    ///
    /// - Throws: `invalid_request` when it is too long (WireContract 1.1), `invalid_scope` when
    ///   it is malformed.
    package func scope() throws(OAuthError) -> Scope? {
        guard let text = try optional("scope") else { return nil }
        guard Scope.fits(text) else {
            throw OAuthError(.invalidRequest, "the scope is too long")
        }
        guard let scope = Scope(text) else {
            throw OAuthError(.invalidScope, "the scope is malformed")
        }
        return scope
    }
}
