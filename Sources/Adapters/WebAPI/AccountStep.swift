internal import HTTPServer
internal import Issuing
internal import OAuth

/// A page about the account that is logged in, with two buttons (WireContract 4.3).
struct AccountStep: Sendable {
    /// What its form token is good for.
    let purpose: FormTokens.Purpose
    /// The values of `action`; `true` is handed on for the first.
    let actions: (first: String, second: String)
    /// The page before a button is pressed.
    let page: @Sendable (SignInPages.Account, PageLook) -> Page
    /// What the button does.
    let press:
        @Sendable (SignInContext.Posted, _ isFirst: Bool, BrowserRequest)
            async throws(OAuthError) -> SignInAnswer

    /// GET shows the page, POST presses a button.
    func respond(_ visit: PageVisit) async throws(OAuthError) -> Response {
        guard visit.request.method == .post else {
            let id = try visit.transaction()
            guard let view = try await visit.services.pages.account(id, for: purpose, visit.browser)
            else { return visit.response(to: SignInAnswer(.login(id))) }
            return page(view, visit.look).response()
        }
        let posted = try visit.posted()
        let action = try visit.action(actions.first, actions.second)
        return visit.response(
            to: try await press(posted, action == actions.first, visit.browser)
        )
    }
}
