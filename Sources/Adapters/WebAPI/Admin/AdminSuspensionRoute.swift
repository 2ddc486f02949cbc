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
            try await change(request, by: request.order().order)
            return .result(Array("{}".utf8))
        } catch { return .admin(error) }
    }

    private func change(_ request: AdminRequest, by order: Order) async throws(EnvelopeError) {
        let action =
            switch request.request.path.split(separator: "/").last {
            case "suspend": administration.suspend
            default: administration.resume
            }
        do throws(OperationError) { try await action(order) } catch {
            throw EnvelopeError(error, absent: "no such project")
        }
    }
}
