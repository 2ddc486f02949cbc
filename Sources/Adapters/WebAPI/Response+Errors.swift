internal import HTTPServer
package import OAuth

extension Response {
    /// Form A of wire.md section 1.2.
    package static func oauth(_ error: OAuthError) -> Self {
        let status = Status(rawValue: error.status) ?? .internalServerError
        var response = Self.json(error.render(), status: status)
        if let challenge = error.challenge {
            response.add("WWW-Authenticate", challenge.headerValue)
        }
        if let seconds = error.retryAfterSeconds { response.add("Retry-After", "\(seconds)") }
        if let nonce = error.nonce { response.add("DPoP-Nonce", nonce) }
        response.refusal = Refusal(
            error: error.code.rawValue,
            cause: error.cause.isEmpty ? "\(error.description)" : error.cause,
            id: error.refusal.map { "\($0)" }
        )
        return response
    }

    /// Form B of wire.md section 1.2.
    package static func envelope(_ error: EnvelopeError) -> Self {
        let status = Status(rawValue: error.status) ?? .internalServerError
        var response = Self.json(error.render(), status: status)
        if let seconds = error.retryAfterSeconds { response.add("Retry-After", "\(seconds)") }
        response.refusal = Refusal(
            error: error.reason.rawValue,
            cause: error.cause.isEmpty ? "\(error.message)" : error.cause
        )
        return response
    }
}
