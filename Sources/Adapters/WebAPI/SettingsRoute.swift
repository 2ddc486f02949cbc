internal import Domain
internal import HTTPServer
internal import Issuing
package import OAuth

/// `/settings`: where a user is signed in, and with which keys (wire.md sections 2 and 9.5).
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
        let isSignedOut = try await services.account.perform(
            try Self.action(of: visit),
            formToken: visit.form.single("form_token"),
            visit.browser
        )
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
}
