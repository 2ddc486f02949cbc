internal import HTTPServer
internal import Issuing
package import OAuth

/// `POST /login/resend`: asks for the mail again (WireContract 7.1).
package struct LoginResendRoute: PageRoute {
    package static var paths: [String] { ["/login/resend"] }
    package static var methods: [Method] { [.post] }

    package let services: SignInServices

    package init(_ services: SignInServices) { self.services = services }

    package func answer(_ visit: PageVisit) async throws(OAuthError) -> Response {
        let posted = try visit.posted()
        return visit.response(to: try await services.links.resend(posted, visit.browser))
    }
}
