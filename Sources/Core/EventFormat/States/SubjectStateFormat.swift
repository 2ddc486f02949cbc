internal import Domain
internal import OAuth

extension Subject.State: StoredState {
    static var format: Int32 { 2 }

    var isInitial: Bool { self == .absent }

    private enum Status: String { case active, disabled, erased }

    func write(to payload: inout JSONWriter) {
        switch self {
        case .absent: break
        case .active(let shared): shared.value.write(to: &payload, Status.active.rawValue)
        case .disabled(let shared): shared.value.write(to: &payload, Status.disabled.rawValue)
        case .erased: payload.member("status", Status.erased.rawValue)
        }
    }

    init(from payload: PayloadReader) throws(FormatError) {
        let status: Status = try payload.choice("status")
        self =
            switch status {
            case .active: .active(Shared(try Subject.Profile(state: payload)))
            case .disabled: .disabled(Shared(try Subject.Profile(state: payload)))
            case .erased: .erased
            }
    }
}

extension Subject.Profile {
    fileprivate func write(to payload: inout JSONWriter, _ status: String) {
        payload.member("email", email)
        payload.member("email_verified", emailVerified)
        if let enabledAt { payload.member("enabled_us", microseconds: enabledAt) }
        payload.member("registered_us", microseconds: registeredAt)
        payload.member("status", status)
        payload.member("updated_us", microseconds: updatedAt)
    }

    fileprivate init(state payload: PayloadReader) throws(FormatError) {
        self.init(
            email: try payload.sealed("email"),
            emailVerified: try payload.bool("email_verified"),
            registeredAt: try payload.microseconds("registered_us"),
            updatedAt: try payload.microseconds("updated_us"),
            enabledAt: try payload.has("enabled_us") ? payload.microseconds("enabled_us") : nil
        )
    }
}
