internal import HTTPServer
package import Issuing
internal import OAuth

/// `GET /login/wait`: the page that waits for the approval (wire.md section 7.1).
package struct LoginWaitRoute: Route {
    package static var paths: [String] { ["/login/wait"] }
    package static var methods: [Method] { [.get] }
    package static var errorForm: ErrorForm { .page }

    private let services: SignInServices

    package init(_ services: SignInServices) { self.services = services }

    package func respond(to request: Request, in project: Project) async -> Response {
        await PageVisit.respond(request, project, services) { visit throws(OAuthError) in
            let view = try await services.pages.waiting(try visit.transaction(), visit.browser)
            return WaitingPage(view: view, look: visit.look, scripts: services.scripts)
                .page.response()
        }
    }
}
