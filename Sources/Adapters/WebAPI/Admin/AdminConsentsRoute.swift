internal import Domain
internal import EventFormat
internal import HTTPServer
package import Issuing
internal import OAuth

/// `GET /admin/v1/subjects/{sub}/consents`: what a user has allowed clients (decision 0175).
package struct AdminConsentsRoute: AdminRoute {
    package static var paths: [String] { ["/admin/v1/subjects/{sub}/consents"] }
    package static var methods: [Method] { [.get] }

    private let consents: ConsentAdministration

    package init(consents: ConsentAdministration) { self.consents = consents }

    package static func role(for method: Method) -> Operator.Role { .read }

    package func respond(to request: AdminRequest) async -> Response {
        do throws(EnvelopeError) {
            let project = try request.project()
            let subject = try request.subject()
            let given: Consents.List
            do {
                given = try await consents.given(
                    by: subject,
                    in: project,
                    deadline: request.deadline
                )
            } catch { throw EnvelopeError(error, absent: "no such subject") }
            return .result(Self.render(given, of: subject))
        } catch { return .admin(error) }
    }

    private static func render(_ list: Consents.List, of subject: SubjectID) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("consents")
            writer.array { writer in
                for consent in list.given {
                    writer.object { writer in
                        writer.member("client_id", consent.client.text)
                        writer.member("scope", consent.scope.text)
                        writer.member("sub", subject.description)
                    }
                }
            }
            writer.member("has_more", list.hasMore)
            // As of the user's own list of keys: not there as a rule.
            if !list.unreadable.isEmpty {
                writer.member("unreadable", Int64(list.unreadable.count))
            }
        }
        return writer.bytes
    }
}
