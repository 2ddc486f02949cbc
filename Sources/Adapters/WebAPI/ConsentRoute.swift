internal import HTTPServer
package import Issuing
internal import OAuth

/// `/consent`: what a client may have (wire.md section 4.3).
package struct ConsentRoute: Route {
    package static var paths: [String] { ["/consent"] }
    package static var methods: [Method] { [.get, .post] }
    package static var errorForm: ErrorForm { .page }

    private let services: SignInServices

    package init(_ services: SignInServices) { self.services = services }

    package func respond(to request: Request, in project: Project) async -> Response {
        await PageVisit.respond(request, project, services) { visit throws(OAuthError) in
            guard request.method == .post else {
                let view = try await services.pages.account(
                    try visit.transaction(),
                    for: .consent,
                    visit.browser
                )
                return ConsentPage(view: view, look: visit.look).page.response()
            }
            let posted = try visit.posted()
            let action = try visit.action("allow", "deny")
            let answer = try await services.continuation.consent(
                posted,
                allows: action == "allow",
                visit.browser
            )
            return visit.response(to: answer)
        }
    }
}
