internal import HTTPServer
package import Issuing

/// `GET /oauth2/jwks`: the public keys (RFC 7517 section 5, WireContract 8.5).
package struct JWKSRoute: Route {
    package static var paths: [String] { ["/oauth2/jwks"] }
    package static var methods: [Method] { [.get] }
    package static var errorForm: ErrorForm { .bare }
    package static var needsTime: Bool { false }
    package static var crossOrigin: CrossOrigin { .anyone }

    private let snapshots: ProjectSnapshots

    package init(snapshots: ProjectSnapshots) { self.snapshots = snapshots }

    package func respond(to request: Request, in project: Project) async -> Response {
        .document(snapshots.of(project).keys, for: request)
    }
}
