internal import Domain
internal import HTTPServer
package import Issuing
internal import OAuth

/// `POST /admin/v1/subjects/{sub}/disable`, `/enable` and `/erase` (WireContract 9.7, 13.3).
package struct AdminSubjectRoute: AdminRoute {
    package static var paths: [String] {
        ["disable", "enable", "erase"].map { "/admin/v1/subjects/{sub}/\($0)" }
    }
    package static var methods: [Method] { [.post] }

    private let administration: SubjectAdministration

    package init(administration: SubjectAdministration) { self.administration = administration }

    package static func role(for method: Method) -> Operator.Role { .operate }

    package func respond(to request: AdminRequest) async -> Response {
        do throws(EnvelopeError) {
            let order = try request.order().order
            let outcome = try await change(request.subject(), request, by: order)
            return .result(reserving: 32) { writer in
                if outcome != .done { writer.member("left", outcome.rawValue) }
            }
        } catch { return .admin(error) }
    }

    private func change(_ subject: SubjectID, _ request: AdminRequest, by order: Order)
        async throws(EnvelopeError) -> SubjectAdministration.Outcome
    {
        let action =
            switch request.request.path.split(separator: "/").last {
            case "disable": administration.disable
            case "enable": administration.enable
            default: administration.erase
            }
        do throws(OperationError) {
            return try await action(subject, order)
        } catch { throw EnvelopeError(error, absent: "no such subject") }
    }
}
