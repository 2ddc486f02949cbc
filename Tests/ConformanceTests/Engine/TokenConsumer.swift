import Testing

/// A route that takes an access token of a user.
enum TokenConsumer: String, CaseIterable, CustomTestStringConvertible {
    case userInfo = "GET /oauth2/userinfo"
    case postedUserInfo = "POST /oauth2/userinfo"
    case sessions = "GET /api/v1/sessions"
    case session = "GET /api/v1/sessions/{sid}"
    case end = "DELETE /api/v1/sessions/{sid}"
    case endOthers = "POST /api/v1/sessions/revoke_others"
    case keys = "GET /api/v1/biometric_keys"
    case removal = "DELETE /api/v1/biometric_keys/{kid}"
    case idToken = "POST /oauth2/token, an id token"
    case setup = "POST /oauth2/token, a setup"

    /// In which of its forms a refusal comes (WireContract 1.2 and 6.4).
    enum Kind { case resource, envelope, tokenEndpoint }

    var testDescription: String { rawValue }

    var kind: Kind {
        switch self {
        case .userInfo, .postedUserInfo: .resource
        case .idToken, .setup: .tokenEndpoint
        default: .envelope
        }
    }

    var method: String { String(rawValue.prefix { $0 != " " }) }

    /// `sid` and `kid`: whose session and key are asked for.
    func path(sid: String, kid: String) -> String {
        let path = String(rawValue.dropFirst(method.count + 1).prefix { $0 != "," })
        return path.replacing("{sid}", with: sid).replacing("{kid}", with: kid)
    }
}
