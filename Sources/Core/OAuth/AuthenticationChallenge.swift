/// A value of `WWW-Authenticate` (RFC 7617 section 2, RFC 6750 section 3, RFC 9449 section 7.1).
package enum AuthenticationChallenge: Hashable, Sendable {
    /// The realm is the issuer, an origin: nothing in it needs a quote escaped.
    case basic(realm: String)
    /// Without error when the request brought no credentials at all.
    case bearer(error: OAuthError.Code?, scope: String? = nil)
    /// `algorithms`: what a proof may be signed with.
    case dpop(error: OAuthError.Code?, algorithms: [String], scope: String? = nil)

    package var headerValue: String {
        switch self {
        case .basic(let realm): "Basic realm=\"\(realm)\""
        case .bearer(let error, let scope): "Bearer" + Self.parameters(error, scope, [])
        case .dpop(let error, let algorithms, let scope):
            "DPoP" + Self.parameters(error, scope, algorithms)
        }
    }

    private static func parameters(
        _ error: OAuthError.Code?,
        _ scope: String?,
        _ algorithms: [String]
    ) -> String {
        var parameters: [String] = []
        if let error { parameters.append("error=\"\(error.rawValue)\"") }
        if let scope { parameters.append("scope=\"\(scope)\"") }
        if !algorithms.isEmpty {
            parameters.append("algs=\"\(algorithms.joined(separator: " "))\"")
        }
        return parameters.isEmpty ? "" : " " + parameters.joined(separator: ", ")
    }
}
