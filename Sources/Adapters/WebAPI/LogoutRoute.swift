internal import HTTPServer
package import Issuing
internal import OAuth

/// `/logout`: the button that ends a session (wire.md section 9.4).
package struct LogoutRoute: Route {
    package static var paths: [String] { ["/logout"] }
    package static var methods: [Method] { [.get, .post] }
    package static var errorForm: ErrorForm { .page }
    package static var slots: Slots { .ending }

    private let services: SignInServices

    package init(_ services: SignInServices) { self.services = services }

    package func respond(to request: Request, in project: Project) async -> Response {
        await PageVisit.respond(request, project, services) { visit throws(OAuthError) in
            let reference = visit.form.single("reference")
            guard request.method == .post else {
                let view = try await services.endSession.confirmation(reference, visit.browser)
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
}
