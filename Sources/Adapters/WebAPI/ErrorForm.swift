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

    /// A refusal by the pipeline; `head` where there was one that could be read.
    func response(_ refusal: PipelineRefusal, _ id: RequestID, _ head: RequestHead?) -> Response {
        switch self {
        case .oauth: .oauth(refusal.oauth)
        case .page:
            ErrorPage(error: refusal.oauth, look: .anonymous(id))
                .response(accepting: head?.fields.all("accept") ?? [])
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
