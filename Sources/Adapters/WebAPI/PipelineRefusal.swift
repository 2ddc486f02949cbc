internal import OAuth

/// What is refused before a route sees the request.
package enum PipelineRefusal: Hashable, Sendable {
    case bodyTooLarge
    case rateLimited(retryAfterSeconds: Int)
    case overloaded

    var oauth: OAuthError {
        switch self {
        case .bodyTooLarge:
            OAuthError(.invalidRequest, "request body is too large", status: 413)
        case .rateLimited(let seconds):
            OAuthError(.rateLimited, "too many requests", retryAfterSeconds: seconds)
        case .overloaded: OAuthError(.temporarilyUnavailable, "try again")
        }
    }

    var envelope: EnvelopeError {
        switch self {
        case .bodyTooLarge: EnvelopeError(.requestEntityTooLarge, "request body is too large")
        case .rateLimited(let seconds):
            EnvelopeError(.rateLimited, "too many requests", retryAfterSeconds: seconds)
        case .overloaded: EnvelopeError(.serviceUnavailable, "try again")
        }
    }
}
