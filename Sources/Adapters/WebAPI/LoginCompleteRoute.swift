internal import HTTPServer
internal import Issuing
package import OAuth

/// `POST /login/complete`: goes on with an approved login (WireContract 7.1).
package struct LoginCompleteRoute: PageRoute {
    package static var paths: [String] { ["/login/complete"] }
    package static var methods: [Method] { [.post] }

    package let services: SignInServices

    package init(_ services: SignInServices) { self.services = services }

    package func answer(_ visit: PageVisit) async throws(OAuthError) -> Response {
        let posted = try visit.posted()
        return visit.response(to: try await services.completion.complete(posted, visit.browser))
    }
}
