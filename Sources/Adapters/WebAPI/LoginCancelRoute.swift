internal import HTTPServer
package import Issuing
internal import OAuth

/// `POST /login/cancel`: gives up, back to the client (wire.md section 7.1).
package struct LoginCancelRoute: Route {
    package static var paths: [String] { ["/login/cancel"] }
    package static var methods: [Method] { [.post] }
    package static var errorForm: ErrorForm { .page }

    private let services: SignInServices

    package init(_ services: SignInServices) { self.services = services }

    package func respond(to request: Request, in project: Project) async -> Response {
        await PageVisit.respond(request, project, services) { visit throws(OAuthError) in
            let posted = try visit.posted()
            return visit.response(to: try await services.cancel.cancel(posted, visit.browser))
        }
    }
}
