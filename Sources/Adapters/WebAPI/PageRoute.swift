package import Issuing
package import OAuth

/// A route that people's browsers visit: pages, and refusals as pages (form C of WireContract 1.2).
package protocol PageRoute: Route {
    var services: SignInServices { get }

    /// What the browser sees; the visit has been counted (L4), and its form is well-formed.
    func answer(_ visit: PageVisit) async throws(OAuthError) -> Response
}

extension PageRoute {
    package static var errorForm: ErrorForm { .page }

    package func respond(to request: Request, in project: Project) async -> Response {
        await PageVisit.respond(request, project, services) { visit throws(OAuthError) in
            try await answer(visit)
        }
    }
}
