internal import Domain
internal import HTTPServer
package import Issuing
internal import OAuth

/// `GET /admin/v1/projects`: which projects there are, served or not (decisions 0060 and 0153).
package struct AdminProjectsRoute: AdminRoute {
    package static var paths: [String] { ["/admin/v1/projects"] }
    package static var methods: [Method] { [.get] }

    private let directory: any ProjectDirectory

    package init(directory: any ProjectDirectory) { self.directory = directory }

    package static func role(for method: Method) -> Operator.Role { .read }

    package func respond(to request: AdminRequest) async -> Response {
        do throws(EnvelopeError) { try request.requireRead() } catch { return .admin(error) }
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
                        writer.member("served", true)
                    }
                }
                for id in directory.unservedIDs {
                    writer.object { writer in
                        writer.member("id", id.text)
                        writer.member("served", false)
                    }
                }
            }
        }
        return .result(writer.bytes)
    }
}
