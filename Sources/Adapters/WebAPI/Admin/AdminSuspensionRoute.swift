internal import Domain
internal import HTTPServer
package import Issuing
internal import OAuth

/// `POST /admin/v1/project/suspend` and `/resume`: a project stops granting anything, or goes on
/// (decision 0201).
package struct AdminSuspensionRoute: AdminRoute {
    package static var paths: [String] {
        ["suspend", "resume"].map { "/admin/v1/project/\($0)" }
    }
    package static var methods: [Method] { [.post] }

    private let administration: ProjectAdministration

    package init(administration: ProjectAdministration) { self.administration = administration }

    package static func role(for method: Method) -> Operator.Role { .configure }

    package func respond(to request: AdminRequest) async -> Response {
        do throws(EnvelopeError) {
            let project = try request.project()
            let body = try request.object(["reason"])
            let reason = try AdminRequest.reason(of: body)
            try await change(project, request, because: reason)
            return .result(Array("{}".utf8))
        } catch { return .admin(error) }
    }

    private func change(_ project: Project, _ request: AdminRequest, because reason: String)
        async throws(EnvelopeError)
    {
        let action =
            switch request.request.path.split(separator: "/").last {
            case "suspend": administration.suspend
            default: administration.resume
            }
        do throws(OperationError) {
            try await action(project, request.by, reason, request.request.deadline)
        } catch { throw EnvelopeError(error, absent: "no such project") }
    }
}
