internal import HTTPServer
internal import OAuth

/// In which form a route's errors go out when the pipeline, not the route, refuses.
package enum ErrorForm: Hashable, Sendable {
    /// A of wire.md section 1.2.
    case oauth
    /// B.
    case envelope
    /// C: a page, or form A for a caller that asks for JSON.
    case page
    /// Status alone: files and health.
    case bare

    /// A refusal by the pipeline: 413, 429 or 503.
    func response(_ refusal: PipelineRefusal) -> Response {
        switch self {
        case .oauth: .oauth(refusal.oauth)
        case .page: ErrorPage(error: refusal.oauth, look: .anonymous).page()
        case .envelope: .envelope(refusal.envelope)
        case .bare: Self.bare(refusal)
        }
    }

    private static func bare(_ refusal: PipelineRefusal) -> Response {
        var response = Response.empty(
            Status(rawValue: refusal.oauth.status) ?? .internalServerError
        )
        if let seconds = refusal.oauth.retryAfterSeconds {
            response.add("Retry-After", "\(seconds)")
        }
        return response
    }
}
