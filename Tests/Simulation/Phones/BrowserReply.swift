import Domain
import Issuing
import OAuth

/// What a browser hears.
enum BrowserReply: Sendable {
    case opened([UInt8])
    /// By a pre-authenticated URL: the access token, and what the browser carries of the session.
    case visited([UInt8], appSession: [UInt8])
    /// A page asks something about the request.
    case asked(StreamID, OpaqueToken)
    case bound(OpaqueToken)
    case refused(OAuthError.Code)
    case unknown

    init(_ refusal: AuthorizationRefusal) {
        switch refusal {
        case .page(let error):
            guard case .refused(let code) = PhoneReply(error) else {
                self = .unknown
                return
            }
            self = .refused(code)
        case .redirect(let response):
            let error = response.parameters.first { $0.name.utf8.elementsEqual("error".utf8) }
            guard let code = error.flatMap({ OAuthError.Code(rawValue: $0.value) }),
                case .refused = PhoneReply(OAuthError(code, "by redirect"))
            else {
                self = .unknown
                return
            }
            self = .refused(code)
        }
    }

    var answer: Deed.Answer {
        switch self {
        case .opened, .visited, .asked, .bound: .passed
        case .refused(let code): .refused(code)
        case .unknown: .unknown
        }
    }
}
