/// The request methods we know (RFC 9110 §9, RFC 5789); any other gets 501.
package enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case options = "OPTIONS"

    /// Whether a request body has no meaning, so that one is refused.
    var forbidsBody: Bool {
        switch self {
        case .get, .head, .delete: true
        case .post, .put, .patch, .options: false
        }
    }
}
