internal import HTTPServer
internal import Issuing
package import OAuth

/// `/logout`: the button that ends a session (wire.md section 9.4).
package struct LogoutRoute: PageRoute {
    package static var paths: [String] { ["/logout"] }
    package static var methods: [Method] { [.get, .post] }
    package static var outlivesSuspension: Bool { true }

    package let services: SignInServices

    package init(_ services: SignInServices) { self.services = services }

    package static func slots(_ method: Method) -> Slots { .ending }

    package func answer(_ visit: PageVisit) async throws(OAuthError) -> Response {
        let reference = visit.form.single("reference")
        guard visit.request.method == .post else {
            let view = try await services.endSession.confirmation(reference, visit.browser)
            // As the button answers then.
            if view.reach == nil, let location = view.location {
                return .loggedOut(location, visit)
            }
            return LogoutPage(view: view, look: visit.look).page.response()
        }
        try visit.requireSameOrigin()
        let answer = try await services.endSession.confirm(
            reference,
            formToken: visit.form.single("form_token"),
            visit.browser
        )
        switch answer {
        case .confirm, .done(nil): return .loggedOut(nil, visit)
        case .done(let location): return .loggedOut(location, visit)
        }
    }
}
