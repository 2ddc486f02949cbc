/// A failure in the envelope of the API and admin routes (form B of WireContract 1.2).
package struct EnvelopeError: Error, Sendable {
    /// What a client branches on; each belongs to one name and one status.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        case badRequest = "BadRequest"
        case validationFailed = "ValidationFailed"
        case unauthenticated = "Unauthenticated"
        case invalidGrant = "InvalidGrant"
        case accessDenied = "AccessDenied"
        case invalidDPoPKeyBinding = "InvalidDPoPKeyBinding"
        case invalidLoginLink = "InvalidLoginLink"
        case loginLinkApprovalDenied = "LoginLinkApprovalDenied"
        case wrongNumber = "WrongNumber"
        case notFound = "NotFound"
        case conflict = "Conflict"
        case requestEntityTooLarge = "RequestEntityTooLarge"
        case rateLimited = "RateLimited"
        case unexpectedError = "UnexpectedError"
        case serviceUnavailable = "ServiceUnavailable"

        package var status: Int {
            switch self {
            case .badRequest, .validationFailed: 400
            case .unauthenticated: 401
            case .invalidGrant, .accessDenied, .invalidDPoPKeyBinding, .invalidLoginLink,
                .loginLinkApprovalDenied, .wrongNumber:
                403
            case .notFound: 404
            case .conflict: 409
            case .requestEntityTooLarge: 413
            case .rateLimited: 429
            case .unexpectedError: 500
            case .serviceUnavailable: 503
            }
        }

        package var name: String {
            switch self {
            case .badRequest, .notFound, .conflict, .requestEntityTooLarge, .serviceUnavailable:
                rawValue
            case .validationFailed: "Invalid"
            case .unauthenticated: "Unauthorized"
            case .invalidGrant, .accessDenied, .invalidDPoPKeyBinding, .invalidLoginLink,
                .loginLinkApprovalDenied, .wrongNumber:
                "Forbidden"
            case .rateLimited: "TooManyRequest"
            case .unexpectedError: "InternalError"
            }
        }
    }

    /// One thing wrong with a body or a document; of a conflict, what an operator must know of it.
    package struct Cause: Hashable, Sendable {
        /// JSON pointer or, for a configuration document, its path.
        package var location: String
        package var kind: String
        package var details: JSON

        package init(location: String, kind: String, details: JSON) {
            self.location = location
            self.kind = kind
            self.details = details
        }

        /// Kind `general` with the sentence.
        package static func general(_ location: String, _ message: String) -> Self {
            Self(location: location, kind: "general", details: ["msg": .string(message)])
        }

        /// Kind `required`: which members an object has, which it needs, which it lacks.
        package static func required(
            _ location: String,
            actual: [String],
            expected: [String]
        ) -> Self {
            let missing = expected.filter { !actual.contains($0) }
            return Self(
                location: location,
                kind: "required",
                details: [
                    "actual": .array(actual.map(JSON.string)),
                    "expected": .array(expected.map(JSON.string)),
                    "missing": .array(missing.map(JSON.string)),
                ]
            )
        }
    }

    package var reason: Reason
    package var message: StaticString
    /// Why, for the log.
    package var cause: String
    /// The refusal's identifier in the handbook.
    package var refusal: StaticString?
    package var causes: [Cause]
    /// The reason's, where no rule of HTTP says otherwise.
    package var status: Int
    /// `Retry-After`, in seconds; always with 429 and 503.
    package var retryAfterSeconds: Int?
    /// `WWW-Authenticate`.
    package var challenge: AuthenticationChallenge?
    /// `DPoP-Nonce`: what the next proof must carry (RFC 9449 section 8).
    package var nonce: String?

    package init(
        _ reason: Reason,
        _ message: StaticString,
        cause: String = "",
        refusal: StaticString? = nil,
        causes: [Cause] = [],
        status: Int? = nil,
        retryAfterSeconds: Int? = nil,
        challenge: AuthenticationChallenge? = nil,
        nonce: String? = nil
    ) {
        self.reason = reason
        self.message = message
        self.cause = cause
        self.refusal = refusal
        self.causes = causes
        self.status = status ?? reason.status
        let needsRetryAfter = reason == .rateLimited || reason == .serviceUnavailable
        self.retryAfterSeconds = retryAfterSeconds ?? (needsRetryAfter ? 1 : nil)
        self.challenge = challenge
        self.nonce = nonce
    }

    /// What form A says by `error`, for `reason`.
    package init(_ reason: Reason, like error: OAuthError) {
        self.init(
            reason,
            error.description,
            cause: error.cause,
            refusal: error.refusal,
            retryAfterSeconds: error.retryAfterSeconds,
            challenge: error.challenge,
            nonce: error.nonce
        )
    }

    /// The body; `tellsRefusal`: with the refusal's identifier, if it has one.
    package func render(tellsRefusal: Bool = false) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("error")
            writer.object { writer in
                writer.member("name", reason.name)
                writer.member("reason", reason.rawValue)
                writer.member("message", "\(message)")
                writer.member("code", Int64(status))
                if tellsRefusal, let refusal { writer.member("refusal", "\(refusal)") }
                if reason == .validationFailed || !causes.isEmpty { write(causes, to: &writer) }
            }
        }
        return writer.bytes
    }

    private func write(_ causes: [Cause], to writer: inout JSONWriter) {
        writer.name("info")
        writer.object { writer in
            writer.name("causes")
            writer.array { writer in
                for cause in causes {
                    writer.object { writer in
                        writer.member("location", cause.location)
                        writer.member("kind", cause.kind)
                        writer.member("details", cause.details)
                    }
                }
            }
        }
    }
}
