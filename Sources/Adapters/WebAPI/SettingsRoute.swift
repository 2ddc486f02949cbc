internal import Domain
internal import HTTPServer
package import Issuing
internal import OAuth

/// `/settings`: where a user is signed in, and with which keys (wire.md sections 2 and 9.5).
package struct SettingsRoute: Route {
    package static var paths: [String] { ["/settings", "/settings/sessions"] }
    package static var methods: [Method] { [.get, .post] }
    package static var errorForm: ErrorForm { .page }
    package static var slots: Slots { .ending }

    private let services: SignInServices

    package init(_ services: SignInServices) { self.services = services }

    package func respond(to request: Request, in project: Project) async -> Response {
        await PageVisit.respond(request, project, services) { visit throws(OAuthError) in
            guard request.method == .post else {
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
    }

    private static func action(of visit: PageVisit) throws(OAuthError) -> AccountSettings.Action {
        switch try visit.action("sign_out", "sign_out_others", "remove_key") {
        case "sign_out": .endSession(try AccountSettings.session(visit.form.single("sid") ?? []))
        case "sign_out_others": .endOthers
        default:
            .removeKey(String(decoding: visit.form.single("kid") ?? [], as: UTF8.self))
        }
    }
}

extension Response {
    /// To the page, in the same colours.
    static func settings(_ visit: PageVisit) -> Self {
        let query = visit.look.query
        return .redirect(query.isEmpty ? "/settings" : "/settings?\(query.dropFirst())")
    }
}
