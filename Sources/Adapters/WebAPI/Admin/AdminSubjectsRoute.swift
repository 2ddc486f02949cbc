internal import Domain
internal import EventFormat
internal import HTTPServer
package import Issuing
internal import OAuth

/// `GET /admin/v1/subjects?email=`: the user that has an address (WireContract 13.3).
package struct AdminSubjectsRoute: AdminRoute {
    package static var paths: [String] { ["/admin/v1/subjects"] }
    package static var methods: [Method] { [.get] }

    private let administration: SubjectAdministration

    package init(administration: SubjectAdministration) { self.administration = administration }

    package static func role(for method: Method) -> Operator.Role { .read }

    package func respond(to request: AdminRequest) async -> Response {
        do throws(EnvelopeError) {
            let project = try request.project()
            guard let text = try request.parameter("email"), let email = EmailAddress(text) else {
                throw EnvelopeError(.badRequest, "email is required and must be an address")
            }
            let entries: [SubjectAdministration.Entry]
            do {
                entries = try await administration.find(email, in: project, by: request.deadline)
            } catch { throw EnvelopeError(error) }
            return .result(Self.render(entries))
        } catch { return .admin(error) }
    }

    private static func render(_ entries: [SubjectAdministration.Entry]) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("subjects")
            writer.array { writer in
                for entry in entries {
                    writer.object { writer in
                        writer.member("sub", entry.subject.description)
                        writer.member("status", entry.status.rawValue)
                        writer.member("created_at", verbatim: RFC3339.milliseconds(entry.createdAt))
                    }
                }
            }
        }
        return writer.bytes
    }
}
