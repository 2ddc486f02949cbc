internal import HTTPServer
package import OAuth

extension Response {
    /// Form A of WireContract 1.2.
    package static func oauth(_ error: OAuthError) -> Self {
        let status = Status(rawValue: error.status) ?? .internalServerError
        var response = Self.json(error.render(), status: status)
        response.add(error.challenge, error.retryAfterSeconds, nonce: error.nonce)
        response.refusal = Refusal(error)
        return response
    }

    /// Form B of WireContract 1.2.
    package static func envelope(_ error: EnvelopeError) -> Self {
        envelope(error, error.render())
    }

    /// As above for operators, who may know which of several checks failed (decision 0153).
    static func admin(_ error: EnvelopeError) -> Self {
        envelope(error, error.render(tellsRefusal: true))
    }

    private static func envelope(_ error: EnvelopeError, _ body: [UInt8]) -> Self {
        let status = Status(rawValue: error.status) ?? .internalServerError
        var response = Self.json(body, status: status)
        response.add(error.challenge, error.retryAfterSeconds, nonce: error.nonce)
        response.refusal = Refusal(
            error: error.reason.rawValue,
            cause: error.cause.isEmpty ? "\(error.message)" : error.cause,
            id: error.refusal.map { "\($0)" }
        )
        return response
    }

    private mutating func add(
        _ challenge: AuthenticationChallenge?,
        _ retryAfterSeconds: Int?,
        nonce: String?
    ) {
        if let challenge { add("WWW-Authenticate", challenge.headerValue) }
        if let retryAfterSeconds { add("Retry-After", "\(retryAfterSeconds)") }
        if let nonce { add("DPoP-Nonce", nonce) }
    }

    /// With a nonce for the caller's next proof, unless there is one already (RFC 9449 section
    /// 8.2); nil where the project asks for none.
    func renewing(_ nonce: String?) -> Self {
        guard let nonce, values(of: "DPoP-Nonce").isEmpty else { return self }
        var response = self
        response.add("DPoP-Nonce", nonce)
        return response
    }
}

extension Response.Refusal {
    /// What the log says of an error, in whatever form it goes out.
    init(_ error: OAuthError) {
        self.init(
            error: error.code.rawValue,
            cause: error.cause.isEmpty ? "\(error.description)" : error.cause,
            id: error.refusal.map { "\($0)" }
        )
    }
}
