internal import HTTPServer
package import Issuing

/// A route for a document that is the same for everybody until its project changes: it has an
/// entity tag, and pages of any site may read it.
package protocol DocumentRoute: Route {
    /// Where the documents of all projects are.
    var snapshots: ProjectSnapshots { get }

    /// Its own among those of a project.
    static func document(of snapshot: ProjectSnapshot) -> ProjectSnapshot.Document
}

extension DocumentRoute {
    package static var methods: [Method] { [.get] }
    package static var errorForm: ErrorForm { .bare }
    package static var needsTime: Bool { false }
    package static var crossOrigin: CrossOrigin { .anyone }

    package func respond(to request: Request, in project: Project) async -> Response {
        .document(Self.document(of: snapshots.of(project)), for: request)
    }
}
