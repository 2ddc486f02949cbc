internal import HTTPServer
internal import OAuth

/// In which form a route's errors go out when the pipeline, not the route, refuses.
package enum ErrorForm: Hashable, Sendable {
    /// A of WireContract 1.2.
    case oauth
    /// B.
    case envelope
    /// C: a page, or form A for a caller that asks for JSON.
    case page
    /// Status alone: files and health.
    case bare

    /// A refusal by the pipeline; `accepted` are the values of `Accept`, as far as they were read.
    func response(
        _ refusal: PipelineRefusal,
        _ id: RequestID,
        accepting accepted: [[UInt8]]
    ) -> Response {
        switch self {
        case .oauth: .oauth(refusal.oauth)
        case .page:
            ErrorPage(error: refusal.oauth, look: .anonymous(id))
                .response(accepting: accepted)
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

extension RefusedRequest {
    /// The values of `Accept`, as far as the head could be read.
    var accept: [[UInt8]] { head?.fields.all("accept") ?? [] }
}
