internal import Domain
internal import OAuth

extension BiometricKey.Event {
    var storedType: StoredType {
        switch self {
        case .enabled: .biometricKeyEnabled
        case .used: .biometricKeyUsed
        case .verificationFailed: .biometricKeyVerificationFailed
        case .disabled: .biometricKeyDisabled
        case .materialClaimed: .biometricKeyMaterialClaimed
        }
    }

    func write(to payload: inout JSONWriter) {
        switch self {
        case .enabled(let registration):
            payload.member("alg", registration.algorithm)
            payload.member("approval", registration.approval?.rawValue)
            payload.member("client", registration.client)
            payload.member("device", registration.device)
            payload.member("jkt", registration.key.thumbprint.digest)
            payload.member("key", json: registration.key.jwk)
            payload.member("kid", registration.kid)
            payload.member("mail", registration.mail)
            payload.member("subject", registration.subject.stream)
        case .used(let action, let session, _):
            payload.member("action", action.rawValue)
            payload.member("grant", session.stream)
        case .verificationFailed(let count, _):
            payload.member("count", count)
        case .disabled(let reason):
            payload.member("reason", reason.rawValue)
        case .materialClaimed(let kid):
            payload.member("kid", kid)
        }
    }

    init(_ type: StoredType, from payload: PayloadReader) throws(FormatError) {
        self =
            switch type {
            case .biometricKeyEnabled: .enabled(try BiometricKey.Registration(from: payload))
            case .biometricKeyUsed: try .used(from: payload)
            case .biometricKeyVerificationFailed: try .failed(from: payload)
            case .biometricKeyDisabled: .disabled(try payload.choice("reason"))
            case .biometricKeyMaterialClaimed: .materialClaimed(kid: try payload.text("kid"))
            default: throw .unknownType(type.rawValue)
            }
    }

    private static func used(from payload: PayloadReader) throws(FormatError) -> Self {
        .used(
            try payload.choice("action"),
            session: SessionID(try payload.stream("grant")),
            at: payload.occurredAt
        )
    }

    private static func failed(from payload: PayloadReader) throws(FormatError) -> Self {
        .verificationFailed(count: try payload.integer("count"), at: payload.occurredAt)
    }
}

extension BiometricKey.Registration {
    /// What `biometric-key.enabled` and a kept state have alike; the time is the event's.
    init(from payload: PayloadReader) throws(FormatError) {
        self.init(
            subject: SubjectID(try payload.stream("subject")),
            client: try payload.client(),
            kid: try payload.text("kid"),
            key: DeviceKey(
                thumbprint: Thumbprint(digest: try payload.digest("jkt")),
                jwk: try payload.json("key")
            ),
            algorithm: try payload.text("alg"),
            device: try payload.optionalSealed("device"),
            mail: try payload.optionalStream("mail"),
            approval: try payload.approval(),
            enabledAt: payload.occurredAt
        )
    }
}
