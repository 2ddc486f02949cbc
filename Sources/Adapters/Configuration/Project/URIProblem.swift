internal import OAuth

/// What is wrong with a URI, in words for an operator (Security 4.1).
enum URIProblem {
    static func text(of refusal: AbsoluteURI.Refusal) -> String {
        switch refusal {
        case .length: "must have 1-2048 bytes"
        case .character: "must be printable ASCII without characters no URI contains"
        case .backslash: "a backslash is not allowed"
        case .wildcard: "a wildcard is not allowed; list each URI"
        case .fragment: "a fragment is not allowed"
        case .escape: "a % must be followed by two hexadecimal digits"
        case .scheme: "must begin with a scheme in lower case, such as https:"
        case .userinfo: "user information (`user@`) is not allowed"
        case .authority: "must have a host in lower case, and no default port"
        case .dotSegment: "dot segments (`.` or `..`) are not allowed"
        }
    }

    static func text(of refusal: RedirectURIRules.Refusal) -> String {
        switch refusal {
        case .malformed(let refusal): text(of: refusal)
        case .forbiddenScheme(let scheme): "scheme \(scheme) is not allowed"
        case .plainHTTP: "scheme http is allowed for 127.0.0.1 and [::1] of native clients only"
        case .reservedParameter(let name): "the query may not contain `\(name)`"
        }
    }
}
