internal import Domain
internal import HTTPServer
package import Issuing
internal import OAuth

/// `POST /admin/v1/subjects/{sub}/consents/withdraw`: a client loses what a user has allowed it,
/// with all that it has by that (WireContract 9.7).
package struct AdminConsentWithdrawalRoute: AdminRoute {
    package static var paths: [String] { ["/admin/v1/subjects/{sub}/consents/withdraw"] }
    package static var methods: [Method] { [.post] }

    private let consents: ConsentAdministration

    package init(consents: ConsentAdministration) { self.consents = consents }

    package static func role(for method: Method) -> Operator.Role { .operate }

    package func respond(to request: AdminRequest) async -> Response {
        do throws(EnvelopeError) {
            let (order, body) = try request.order(["client_id"])
            let named = try AdminRequest.text("client_id", of: body)
            let subject = try request.subject()
            // A name that no client can have is one that nobody has allowed anything.
            var outcome = Consents.Withdrawal.unknown
            do throws(OperationError) {
                if let client = ClientID(named) {
                    outcome = try await consents.withdraw(from: client, of: subject, by: order)
                }
            } catch { throw EnvelopeError(error, absent: "no such subject") }
            switch outcome {
            case .withdrawn, .withdrawnBefore:
                let isNow = outcome == .withdrawn
                return .result(reserving: 32) { $0.member("withdrawn", isNow) }
            case .unknown:
                throw EnvelopeError(.notFound, "the subject has given no consent to this client")
            }
        } catch { return .admin(error) }
    }
}
