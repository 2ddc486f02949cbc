internal import Domain
internal import HTTPServer
package import Issuing
internal import OAuth

/// `GET /admin/v1/projects`: which projects there are (decision 0060).
package struct AdminProjectsRoute: AdminRoute {
    package static var paths: [String] { ["/admin/v1/projects"] }
    package static var methods: [Method] { [.get] }

    private let directory: any ProjectDirectory

    package init(directory: any ProjectDirectory) { self.directory = directory }

    package static func role(for method: Method) -> Operator.Role { .read }

    package func respond(to request: AdminRequest) async -> Response {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("projects")
            writer.array { writer in
                for project in directory.all {
                    writer.object { writer in
                        writer.member("id", project.settings.id.text)
                        writer.member("name", project.settings.name)
                        writer.member("issuer", project.issuer)
                        writer.member("suspended", project.isSuspended)
                    }
                }
            }
        }
        return .result(writer.bytes)
    }
}
