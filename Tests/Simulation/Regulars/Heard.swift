import Domain
import Issuing
import OAuth

/// What a browser hears that keeps its cookies.
struct Heard: Sendable {
    enum Page: Sendable {
        case login(StreamID), waiting(StreamID), account(StreamID), consent(StreamID)
        case code([UInt8])
        /// Of the page that was asked for, to be posted.
        case form(SignInContext.Posted)
        case refused(OAuthError.Code)
        case done, unknown
    }

    var page: Page
    /// The cookies that it sets.
    var transaction: OpaqueToken?
    var session: OpaqueToken?

    init(_ page: Page) { self.page = page }

    init(_ answer: SignInAnswer) {
        page = Self.page(answer.step)
        for cookie in answer.cookies {
            switch cookie {
            case .transaction(let token): transaction = token
            case .session(let token, _): session = token
            case .endSession, .accessToken, .endAccessToken, .appSession, .endAppSessions: break
            }
        }
    }

    init(refusing error: OAuthError) {
        page = if case .refused(let code) = PhoneReply(error) { .refused(code) } else { .unknown }
    }

    init(_ refusal: AuthorizationRefusal) {
        page =
            if case .refused(let code) = BrowserReply(refusal) { .refused(code) } else { .unknown }
    }

    private static func page(_ step: SignInStep) -> Page {
        switch step {
        case .login(let id): return .login(id)
        case .waiting(let id): return .waiting(id)
        case .selectAccount(let id): return .account(id)
        case .consent(let id): return .consent(id)
        case .respond(let response):
            let code = response.parameters.first { $0.name.utf8.elementsEqual("code".utf8) }
            if let code { return .code(Array(code.value.utf8)) }
            guard case .refused(let error) = BrowserReply(.redirect(response)) else {
                return .unknown
            }
            return .refused(error)
        }
    }

    var code: [UInt8]? {
        if case .code(let text) = page { return text }
        return nil
    }

    /// As an answer to who wants a code: a page that asks is none.
    var answer: Deed.Answer {
        switch page {
        case .code, .form, .done: .passed
        case .login, .waiting, .account: .refused(.loginRequired)
        case .consent: .refused(.consentRequired)
        case .refused(let code): .refused(code)
        case .unknown: .unknown
        }
    }
}
