internal import Domain
internal import HTTPServer
internal import Issuing
package import OAuth

/// `/settings`: where a user is signed in, and with which keys (WireContract 2 and 9.5).
package struct SettingsRoute: PageRoute {
    package static var paths: [String] { ["/settings", "/settings/sessions"] }
    package static var methods: [Method] { [.get, .post] }
    package static var outlivesSuspension: Bool { true }

    package let services: SignInServices

    package init(_ services: SignInServices) { self.services = services }

    package static func slots(_ method: Method) -> Slots {
        method == .post ? .ending : .usual
    }

    package func answer(_ visit: PageVisit) async throws(OAuthError) -> Response {
        guard visit.request.method == .post else {
            let cursor = visit.form.single("cursor")
            let view = try await services.account.view(after: cursor, visit.browser)
            return SettingsPage(view: view, look: visit.look).page.response()
        }
        try visit.requireSameOrigin()
        let action = try Self.action(of: visit)
        let isSignedOut: Bool
        do throws(OAuthError) {
            isSignedOut = try await services.account.perform(
                action,
                formToken: visit.form.single("form_token"),
                visit.browser
            )
        } catch {
            // Ours, and of before a login in another tab, or too old (decision 0223).
            guard error.isForeignForm || error.isExpiredForm else { throw error }
            return .outOfDate(error, visit, again: visit.look.path("/settings"))
        }
        return isSignedOut ? .loggedOut(nil, visit) : .settings(visit)
    }

    private static func action(of visit: PageVisit) throws(OAuthError) -> AccountSettings.Action {
        switch try visit.action("sign_out", "sign_out_others", "remove_key", "withdraw_consent") {
        case "sign_out": .endSession(try AccountSettings.session(visit.form.single("sid") ?? []))
        case "sign_out_others": .endOthers
        case "remove_key":
            .removeKey(String(decoding: visit.form.single("kid") ?? [], as: UTF8.self))
        default:
            .withdrawConsent(try AccountSettings.client(visit.form.single("client_id") ?? []))
        }
    }
}

extension Response {
    /// To the page, in the same colours.
    static func settings(_ visit: PageVisit) -> Self {
        .redirect(visit.look.path("/settings"))
    }

    /// A form of ours that counts no more, with the way to the page as it is now.
    static func outOfDate(_ error: OAuthError, _ visit: PageVisit, again path: String) -> Self {
        ErrorPage(error: error, look: visit.look, again: path).response(to: visit.request)
    }
}
