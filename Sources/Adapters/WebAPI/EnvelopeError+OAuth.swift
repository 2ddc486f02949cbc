package import OAuth

extension EnvelopeError {
    /// The same refusal where answers have form B.
    package init(_ error: OAuthError) {
        let reason: Reason =
            switch error.status {
            case 403: .accessDenied
            case 404: .notFound
            case 429: .rateLimited
            case 503: .serviceUnavailable
            case 500: .unexpectedError
            default: .badRequest
            }
        self.init(reason, like: error)
    }
}
