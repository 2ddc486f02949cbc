internal import HTTPServer
internal import Issuing
internal import OAuth

/// What is refused before a route sees the request.
enum PipelineRefusal: Hashable, Sendable {
    case bodyTooLarge
    case rateLimited(retryAfterSeconds: Int)
    case overloaded
    /// A route was at it and has not answered in time: it may have happened, or happen yet.
    case late
    /// Nothing may be decided by this node's clock; why not.
    case clockIsWrong(String)
    /// Nothing is granted, and nobody signs in, until an operator lets the project go on.
    case projectIsSuspended
    /// By the server's own grammar, bounds or deadlines, with this status.
    case unreadable(Status)

    init(_ request: RefusedRequest) {
        switch request.status {
        case .contentTooLarge: self = .bodyTooLarge
        case .serviceUnavailable:
            // Whoever sends a GET may send it again, whatever became of it: what it ends stays
            // ended, and what it opens once is told apart by its route.
            let isRead = request.method == .get || request.method == .head
            self = request.isLate && !isRead ? .late : .overloaded
        default: self = .unreadable(request.status)
        }
    }

    var oauth: OAuthError {
        switch self {
        case .bodyTooLarge:
            OAuthError(.invalidRequest, "request body is too large", status: 413)
        case .rateLimited(let seconds):
            OAuthError(.rateLimited, "too many requests", retryAfterSeconds: seconds)
        case .overloaded: OAuthError(.temporarilyUnavailable, "try again")
        case .late: OAuthError(StoreError.outcomeUnknown)
        case .clockIsWrong(let problem):
            OAuthError(
                .temporarilyUnavailable,
                "try again",
                cause: problem,
                refusal: "NO-001",
                retryAfterSeconds: 5
            )
        case .projectIsSuspended: .suspendedProject
        case .unreadable(let status):
            OAuthError(.invalidRequest, Self.words(status), status: status.rawValue)
        }
    }

    var envelope: EnvelopeError {
        switch self {
        case .bodyTooLarge: EnvelopeError(.requestEntityTooLarge, "request body is too large")
        case .rateLimited(let seconds):
            EnvelopeError(.rateLimited, "too many requests", retryAfterSeconds: seconds)
        case .overloaded: EnvelopeError(.serviceUnavailable, "try again")
        case .late, .clockIsWrong: EnvelopeError(.serviceUnavailable, like: oauth)
        case .projectIsSuspended: EnvelopeError(.accessDenied, like: oauth)
        case .unreadable(let status):
            EnvelopeError(.badRequest, Self.words(status), status: status.rawValue)
        }
    }

    /// Refuses what a limit says to wait for; nil is let in.
    ///
    /// - Throws: `x_rate_limited` with `seconds`, as `RequestLimits` gives them.
    static func refuseOAuth(_ seconds: Int?) throws(OAuthError) {
        if let seconds { throw Self.rateLimited(retryAfterSeconds: seconds).oauth }
    }

    /// As `refuseOAuth`, where errors have the other form.
    ///
    /// - Throws: `RateLimited` with `seconds`.
    static func refuseEnvelope(_ seconds: Int?) throws(EnvelopeError) {
        if let seconds { throw Self.rateLimited(retryAfterSeconds: seconds).envelope }
    }

    /// What the grammar of Security 7.1 refuses, with the status it names.
    private static func words(_ status: Status) -> StaticString {
        switch status {
        case .requestTimeout: "the request came too slowly"
        case .uriTooLong: "the request target is too long"
        case .unsupportedMediaType: "content codings are not supported"
        case .expectationFailed: "the expectation cannot be met"
        case .headerFieldsTooLarge: "the header fields are too large"
        case .notImplemented: "the method or transfer coding is not supported"
        case .versionNotSupported: "the HTTP version is not supported"
        default: "the request is malformed"
        }
    }
}
