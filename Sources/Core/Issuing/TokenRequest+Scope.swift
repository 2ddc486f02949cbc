package import Domain
package import OAuth

extension TokenRequest {
    /// The `scope` parameter (RFC 6749 section 3.3); nil when absent.
    ///
    /// - Throws: `invalid_scope` when it is malformed or too long.
    package func scope() throws(OAuthError) -> Scope? {
        guard let text = try optional("scope") else { return nil }
        guard let scope = Scope(text) else {
            throw OAuthError(.invalidScope, "the scope is malformed")
        }
        return scope
    }
}
