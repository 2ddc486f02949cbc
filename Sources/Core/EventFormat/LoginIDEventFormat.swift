internal import Domain
internal import OAuth

extension LoginID.Event {
    var storedType: StoredType {
        switch self {
        case .claimed: .loginIDClaimed
        case .released: .loginIDReleased
        }
    }

    func write(to payload: inout JSONWriter) {
        switch self {
        case .claimed(let subject, let kind, let value):
            payload.member("kind", kind.rawValue)
            payload.member("subject", subject.stream)
            payload.member("value", value)
        case .released(let subject, let reason):
            payload.member("reason", reason.rawValue)
            payload.member("subject", subject.stream)
        }
    }

    static func claimed(from payload: PayloadReader) throws(FormatError) -> Self {
        .claimed(
            by: SubjectID(try payload.stream("subject")),
            kind: try payload.choice("kind"),
            value: try payload.sealed("value")
        )
    }

    static func released(from payload: PayloadReader) throws(FormatError) -> Self {
        .released(by: SubjectID(try payload.stream("subject")), try payload.choice("reason"))
    }
}
