internal import Domain
internal import HTTPServer
package import Issuing
internal import OAuth

/// `POST /admin/v1/subjects/{sub}/disable` and `/enable` (wire.md sections 9.7 and 13.3).
package struct AdminSubjectRoute: AdminRoute {
    package static var paths: [String] {
        ["/admin/v1/subjects/{sub}/disable", "/admin/v1/subjects/{sub}/enable"]
    }
    package static var methods: [Method] { [.post] }

    private let administration: SubjectAdministration

    package init(administration: SubjectAdministration) { self.administration = administration }

    package static func role(for method: Method) -> Operator.Role { .operate }

    package func respond(to request: AdminRequest) async -> Response {
        do throws(EnvelopeError) {
            let project = try request.project()
            let body = try request.object(["reason"])
            let reason = try AdminRequest.reason(body["reason"]?.string, at: "/reason")
            guard let text = request.request.parameters["sub"],
                let subject = SubjectID(text: text)
            else { throw EnvelopeError(.notFound, "no such subject") }
            try await change(subject, request, in: project, because: reason)
            return .result(Array("{}".utf8))
        } catch { return .envelope(error) }
    }

    private func change(
        _ subject: SubjectID,
        _ request: AdminRequest,
        in project: Project,
        because reason: String
    ) async throws(EnvelopeError) {
        do throws(OperationError) {
            if request.request.path.utf8.suffix(8).elementsEqual("/disable".utf8) {
                try await administration.disable(
                    subject,
                    in: project,
                    by: request.by,
                    reason: reason,
                    deadline: request.request.deadline
                )
            } else {
                try await administration.enable(
                    subject,
                    in: project,
                    by: request.by,
                    reason: reason,
                    deadline: request.request.deadline
                )
            }
        } catch { throw EnvelopeError(error) }
    }
}
