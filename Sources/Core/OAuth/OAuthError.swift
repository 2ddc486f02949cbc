/// What a client hears when its request fails (RFC 6749 section 5.2, RFC 6750 section 3.1).
///
/// `description` goes out and is a constant; `cause` and `refusal` stay in the log. A `refusal`
/// such as `RT-004` names the row of the handbook's error table.
package struct OAuthError: Error, Sendable {
    /// The values of `error` (WireContract 1.2).
    package enum Code: String, Hashable, Sendable, CaseIterable {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidGrant = "invalid_grant"
        case invalidScope = "invalid_scope"
        case invalidTarget = "invalid_target"
        case invalidToken = "invalid_token"
        case unauthorizedClient = "unauthorized_client"
        case unsupportedGrantType = "unsupported_grant_type"
        case unsupportedResponseType = "unsupported_response_type"
        case accessDenied = "access_denied"
        case insufficientScope = "insufficient_scope"
        case invalidDPoPProof = "invalid_dpop_proof"
        case useDPoPNonce = "use_dpop_nonce"
        case loginRequired = "login_required"
        case consentRequired = "consent_required"
        case interactionRequired = "interaction_required"
        case requestNotSupported = "request_not_supported"
        case notFound = "not_found"
        case conflict = "conflict"
        case rateLimited = "x_rate_limited"
        case serverError = "server_error"
        case temporarilyUnavailable = "temporarily_unavailable"

        /// The status where no route says otherwise.
        package var status: Int {
            switch self {
            case .invalidClient, .invalidToken: 401
            case .notFound: 404
            case .conflict: 409
            case .rateLimited: 429
            case .serverError: 500
            case .temporarilyUnavailable: 503
            case .invalidRequest, .invalidGrant, .invalidScope, .invalidTarget,
                .unauthorizedClient, .unsupportedGrantType, .unsupportedResponseType,
                .accessDenied, .insufficientScope, .invalidDPoPProof, .useDPoPNonce,
                .loginRequired, .consentRequired, .interactionRequired, .requestNotSupported:
                400
            }
        }
    }

    package var code: Code
    /// `error_description`: a constant, so nothing of a request is ever echoed.
    package var description: StaticString
    /// Why, for the log.
    package var cause: String
    /// The refusal's identifier in the handbook.
    package var refusal: StaticString?
    package var status: Int
    /// `Retry-After`, in seconds; always with 429 and 503.
    package var retryAfterSeconds: Int?
    /// `WWW-Authenticate`.
    package var challenge: AuthenticationChallenge?
    /// Member `scope`: what a request would have needed (RFC 6750 section 3).
    package var scope: String?
    /// `DPoP-Nonce`: what the next proof must carry (RFC 9449 section 8).
    package var nonce: String?

    package init(
        _ code: Code,
        _ description: StaticString,
        cause: String = "",
        refusal: StaticString? = nil,
        status: Int? = nil,
        retryAfterSeconds: Int? = nil,
        challenge: AuthenticationChallenge? = nil,
        scope: String? = nil,
        nonce: String? = nil
    ) {
        self.code = code
        self.description = description
        self.cause = cause
        self.refusal = refusal
        self.status = status ?? code.status
        let needsRetryAfter = code == .rateLimited || code == .temporarilyUnavailable
        self.retryAfterSeconds = retryAfterSeconds ?? (needsRetryAfter ? 1 : nil)
        self.challenge = challenge
        self.scope = scope
        self.nonce = nonce
    }

    /// The body (form A of WireContract 1.2).
    package func render() -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("error", code.rawValue)
            writer.member("error_description", "\(description)")
            if let scope { writer.member("scope", scope) }
        }
        return writer.bytes
    }
}
