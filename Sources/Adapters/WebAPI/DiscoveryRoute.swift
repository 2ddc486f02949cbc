internal import HTTPServer
package import Issuing

/// What the server says of itself, under both names (RFC 8414 section 3, OpenID Discovery 4).
package struct DiscoveryRoute: Route {
    package static var paths: [String] {
        ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"]
    }
    package static var methods: [Method] { [.get] }
    package static var errorForm: ErrorForm { .bare }
    package static var needsTime: Bool { false }
    package static var crossOrigin: CrossOrigin { .anyone }

    private let snapshots: ProjectSnapshots

    package init(snapshots: ProjectSnapshots) { self.snapshots = snapshots }

    package func respond(to request: Request, in project: Project) async -> Response {
        .document(snapshots.of(project).discovery, for: request)
    }
}
