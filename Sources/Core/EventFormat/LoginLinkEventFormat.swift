internal import Domain
internal import OAuth

extension LoginLink.Event {
    var storedType: StoredType {
        switch self {
        case .requested: .loginLinkRequested
        case .resent: .loginLinkResent
        case .mailSent: .loginLinkMailSent
        case .mailFailed: .loginLinkMailFailed
        case .approved: .loginLinkApproved
        case .denied: .loginLinkDenied
        case .superseded: .loginLinkSuperseded
        case .consumed: .loginLinkConsumed
        }
    }

    func write(to payload: inout JSONWriter) {
        switch self {
        case .requested(let request): request.write(to: &payload)
        case .resent(let generation, _):
            payload.member("generation", Int64(generation))
        case .mailSent(let generation, let attempt):
            payload.member("attempt", Int64(attempt))
            payload.member("generation", Int64(generation))
        case .mailFailed(let generation, let attempt, let code, let final):
            payload.member("attempt", Int64(attempt))
            payload.member("code", Int64(code))
            payload.member("final", final)
            payload.member("generation", Int64(generation))
        case .approved(let approver, let sameDevice, let generation):
            payload.member("by", approver.rawValue)
            payload.member("generation", Int64(generation))
            payload.member("same_device", sameDevice)
        case .denied(let reason):
            payload.member("reason", reason.rawValue)
        case .superseded(let newer):
            payload.member("by", newer)
        case .consumed(let authorization):
            payload.member("authorization", authorization)
        }
    }

    /// The subject the address had is in its column; `known` says whether that is meant.
    static func requested(from payload: PayloadReader) throws(FormatError) -> Self {
        .requested(
            LoginLink.Request(
                authorization: try payload.stream("authorization"),
                client: try payload.client(),
                email: try payload.sealed("email"),
                device: try payload.optionalSealed("device"),
                place: try payload.optionalSealed("place"),
                subject: try payload.bool("known") ? try payload.subject() : nil,
                initiator: try payload.digest("initiator"),
                mode: try payload.choice("mode"),
                number: try payload.integer("number"),
                generation: try payload.integer("generation"),
                requestedAt: payload.occurredAt,
                expiresAt: try payload.time("expires_at")
            )
        )
    }

    static func resent(from payload: PayloadReader) throws(FormatError) -> Self {
        .resent(generation: try payload.integer("generation"), at: payload.occurredAt)
    }

    static func mailSent(from payload: PayloadReader) throws(FormatError) -> Self {
        .mailSent(
            generation: try payload.integer("generation"),
            attempt: try payload.integer("attempt")
        )
    }

    static func mailFailed(from payload: PayloadReader) throws(FormatError) -> Self {
        .mailFailed(
            generation: try payload.integer("generation"),
            attempt: try payload.integer("attempt"),
            code: try payload.integer("code"),
            final: try payload.bool("final")
        )
    }

    static func approved(from payload: PayloadReader) throws(FormatError) -> Self {
        .approved(
            by: try payload.choice("by"),
            sameDevice: try payload.bool("same_device"),
            generation: try payload.integer("generation")
        )
    }

    static func denied(from payload: PayloadReader) throws(FormatError) -> Self {
        .denied(try payload.choice("reason"))
    }

    static func superseded(from payload: PayloadReader) throws(FormatError) -> Self {
        .superseded(by: try payload.stream("by"))
    }

    static func consumed(from payload: PayloadReader) throws(FormatError) -> Self {
        .consumed(authorization: try payload.stream("authorization"))
    }
}

extension LoginLink.Request {
    fileprivate func write(to payload: inout JSONWriter) {
        payload.member("authorization", authorization)
        payload.member("client", client)
        payload.member("device", device)
        payload.member("email", email)
        payload.member("expires_at", expiresAt)
        payload.member("generation", Int64(generation))
        payload.member("initiator", initiator)
        payload.member("known", subject != nil)
        payload.member("mode", mode.rawValue)
        payload.member("number", Int64(number))
        payload.member("place", place)
    }
}
