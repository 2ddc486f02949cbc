internal import Domain
internal import Issuing
internal import OAuth
internal import Runtime

/// What the log says of a request of the admin API beside its answer: who asked, as what, of whom.
///
/// What an operator reads leaves no event: this is all that is kept of it (decision 0228).
struct AdminRecord: Sendable {
    /// As much of a digest as tells the certificates of one installation apart.
    private static let certificateBytes = 8

    /// Who proved to be an operator; nil: nobody did.
    var holder: Operator?
    private let needs: Operator.Role?
    private let certificate: [UInt8]?
    private let subject: SubjectID?
    private let session: SessionID?

    /// Of a request with the parameters of its route, which asks for `role`; nil: there is none.
    ///
    /// Whom it names counts when it is an id: anything else may be an address, or a secret.
    init(_ request: Request, needing role: Operator.Role? = nil) {
        needs = role
        certificate = request.certificateDigest
        session = request.parameters["sid"].flatMap { SessionID(text: $0) }
        subject =
            if let sub = request.parameters["sub"] {
                SubjectID(text: sub)
            } else {
                Self.asked(request)
            }
    }

    /// Whose list is asked for in the query.
    private static func asked(_ request: Request) -> SubjectID? {
        guard let parameters = try? request.queryParameters(),
            let text = try? parameters.optional("subject")
        else { return nil }
        return SubjectID(text: text)
    }

    /// Opaque ids, names and roles; an empty `operator` is nobody.
    var fields: [Log.Field] {
        var fields: [Log.Field] = [.field("operator", holder?.name ?? "")]
        if let holder { fields.append(.field("role", holder.role.rawValue)) }
        if let needs { fields.append(.field("needs", needs.rawValue)) }
        if let certificate {
            let digits = Array(certificate.prefix(Self.certificateBytes))
            fields.append(.field("certificate", hexadecimal: digits))
        }
        if let subject { fields.append(.field("sub", subject.description)) }
        if let session { fields.append(.field("sid", session.description)) }
        return fields
    }
}
