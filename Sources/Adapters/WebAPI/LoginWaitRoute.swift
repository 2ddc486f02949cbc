internal import HTTPServer
internal import Issuing
package import OAuth

/// `GET /login/wait`: the page that waits for the approval (WireContract 7.1).
package struct LoginWaitRoute: PageRoute {
    package static var paths: [String] { ["/login/wait"] }
    package static var methods: [Method] { [.get] }

    package let services: SignInServices

    package init(_ services: SignInServices) { self.services = services }

    package func answer(_ visit: PageVisit) async throws(OAuthError) -> Response {
        let view = try await services.pages.waiting(try visit.transaction(), visit.browser)
        return WaitingPage(view: view, look: visit.look, scripts: services.scripts)
            .page.response()
    }
}
