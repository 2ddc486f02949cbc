internal import HTTPServer
package import Issuing

/// `GET /.well-known/assetlinks.json` (WireContract 7.6).
package struct AndroidLinkFileRoute: Route {
    package static var paths: [String] { ["/.well-known/assetlinks.json"] }
    package static var methods: [Method] { [.get] }
    package static var errorForm: ErrorForm { .bare }
    package static var needsTime: Bool { false }
    package static var crossOrigin: CrossOrigin { .anyone }

    private let snapshots: ProjectSnapshots

    package init(snapshots: ProjectSnapshots) { self.snapshots = snapshots }

    package func respond(to request: Request, in project: Project) async -> Response {
        .document(snapshots.of(project).assetLinks, for: request)
    }
}
