internal import HTTPServer
internal import Issuing
package import OAuth

/// `POST /login/cancel`: gives up, back to the client (WireContract 7.1).
package struct LoginCancelRoute: PageRoute {
    package static var paths: [String] { ["/login/cancel"] }
    package static var methods: [Method] { [.post] }

    package let services: SignInServices

    package init(_ services: SignInServices) { self.services = services }

    package func answer(_ visit: PageVisit) async throws(OAuthError) -> Response {
        let posted = try visit.posted()
        return visit.response(to: try await services.cancel.cancel(posted, visit.browser))
    }
}
