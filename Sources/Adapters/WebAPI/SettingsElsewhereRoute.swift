internal import HTTPServer
package import Issuing
internal import OAuth

/// `GET /settings/{other}`: apps may open any page of the settings, and there is one (wire.md 2).
package struct SettingsElsewhereRoute: Route {
    package static var paths: [String] { ["/settings/{other}"] }
    package static var methods: [Method] { [.get] }
    package static var errorForm: ErrorForm { .page }

    private let services: SignInServices

    package init(_ services: SignInServices) { self.services = services }

    package func respond(to request: Request, in project: Project) async -> Response {
        await PageVisit.respond(request, project, services) { visit throws(OAuthError) in
            .settings(visit)
        }
    }
}
