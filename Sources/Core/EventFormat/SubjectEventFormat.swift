internal import Domain
internal import OAuth

extension Subject.Event {
    var storedType: StoredType {
        switch self {
        case .registered: .subjectRegistered
        case .disabled: .subjectDisabled
        case .enabled: .subjectEnabled
        case .erased: .subjectErased
        }
    }

    func write(to payload: inout JSONWriter) {
        switch self {
        case .registered(let source, let email, let emailVerified, _):
            payload.member("email", email)
            payload.member("email_verified", emailVerified)
            payload.member("source", source.rawValue)
        case .disabled(let reason):
            payload.member("reason", reason.rawValue)
        case .enabled, .erased: break
        }
    }

    static func registered(from payload: PayloadReader) throws(FormatError) -> Self {
        .registered(
            source: try payload.choice("source"),
            email: try payload.sealed("email"),
            emailVerified: try payload.bool("email_verified"),
            at: payload.occurredAt
        )
    }

    static func disabled(from payload: PayloadReader) throws(FormatError) -> Self {
        .disabled(try payload.choice("reason"))
    }

    static func enabled(from payload: PayloadReader) throws(FormatError) -> Self {
        .enabled(at: payload.occurredAt)
    }

    static func erased(from _: PayloadReader) throws(FormatError) -> Self { .erased }
}
