import Domain
import OAuth

/// What a phone hears.
enum PhoneReply: Sendable {
    /// A 200 of the token endpoint.
    struct Tokens: Sendable {
        struct Access: Sendable {
            var text: [UInt8]
            var token: TokenID
            var session: SessionID
            var scope: String
            /// Of the world's clock, in ns.
            var until: UInt64
        }

        /// Nil where none came, or one that is no JWT.
        var access: Access?
        /// The text of an access token that is no JWT: the URL token.
        var opaque: [UInt8]?
        var refreshToken: [UInt8]?
        var identity: [UInt8]?
        var secret: [UInt8]?
        var code: [UInt8]?
    }

    case granted(Tokens)
    case refused(OAuthError.Code)
    case unknown

    init(_ error: any Error) {
        guard let error = error as? OAuthError else {
            self = .unknown
            return
        }
        switch error.code {
        case .temporarilyUnavailable, .serverError, .rateLimited: self = .unknown
        default: self = .refused(error.code)
        }
    }

    var answer: Deed.Answer {
        switch self {
        case .granted: .passed
        case .refused(let code): .refused(code)
        case .unknown: .unknown
        }
    }

    var tokens: Tokens? {
        if case .granted(let tokens) = self { return tokens }
        return nil
    }
}
