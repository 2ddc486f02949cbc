internal import Domain
internal import OAuth

extension BiometricKey.State: StoredState {
    static var format: Int32 { 1 }

    var isInitial: Bool { self == .absent }

    func write(to payload: inout JSONWriter) {
        switch self {
        case .absent: break
        case .enabled(let shared): shared.value.write(to: &payload, isDisabled: false)
        case .disabled(let shared): shared.value.write(to: &payload, isDisabled: true)
        case .claimed(let kid): payload.member("claimed", kid)
        }
    }

    init(from payload: PayloadReader) throws(FormatError) {
        if let kid = try payload.optionalText("claimed") {
            self = .claimed(kid: kid)
            return
        }
        let registration = Shared(try BiometricKey.Registration(state: payload))
        self = try payload.bool("disabled") ? .disabled(registration) : .enabled(registration)
    }
}

extension BiometricKey.Registration {
    fileprivate func write(to payload: inout JSONWriter, isDisabled: Bool) {
        payload.member("alg", algorithm)
        payload.member("approval", approval?.rawValue)
        payload.member("client", client)
        payload.member("device", device)
        payload.member("disabled", isDisabled)
        payload.member("enabled_us", microseconds: enabledAt)
        payload.member("failures", objects: failures) { $0.member("at_us", microseconds: $1) }
        payload.member("jkt", key.thumbprint.digest)
        payload.member("key", json: key.jwk)
        payload.member("kid", kid)
        if let lastUsedAt { payload.member("last_used_us", microseconds: lastUsedAt) }
        payload.member("mail", mail)
        payload.member("session", session?.stream)
        payload.member("subject", subject.stream)
    }

    fileprivate init(state payload: PayloadReader) throws(FormatError) {
        try self.init(from: payload)
        enabledAt = try payload.microseconds("enabled_us")
        if payload.has("last_used_us") { lastUsedAt = try payload.microseconds("last_used_us") }
        session = try payload.optionalStream("session").map(SessionID.init)
        failures = try payload.objects("failures") { failure throws(FormatError) in
            try failure.microseconds("at_us")
        }
    }
}
