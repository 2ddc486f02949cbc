internal import HTTPServer
internal import Issuing
package import OAuth

/// `GET /settings/…`: apps may open any page of the settings, and there is one (WireContract 2).
package struct SettingsElsewhereRoute: PageRoute {
    package static var paths: [String] { ["/settings/{rest...}"] }
    package static var methods: [Method] { [.get] }
    package static var outlivesSuspension: Bool { true }

    package let services: SignInServices

    package init(_ services: SignInServices) { self.services = services }

    package func answer(_ visit: PageVisit) async throws(OAuthError) -> Response {
        .settings(visit)
    }
}
