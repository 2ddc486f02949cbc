internal import Domain
internal import OAuth

extension OfflineGrant.Event {
    var storedType: StoredType {
        switch self {
        case .opened: .offlineGrantOpened
        case .refreshTokenIssued: .offlineGrantRefreshTokenIssued
        case .accessTokenIssued: .offlineGrantAccessTokenIssued
        case .refreshed: .offlineGrantRefreshed
        case .retried: .offlineGrantRetried
        case .reuseDetected: .offlineGrantReuseDetected
        case .revoked: .offlineGrantRevoked
        case .accessTokenRevoked: .offlineGrantAccessTokenRevoked
        case .reauthenticated: .offlineGrantReauthenticated
        case .deviceKeyBound: .offlineGrantDeviceKeyBound
        case .app2appApproved: .offlineGrantApp2AppApproved
        case .deviceSecretIssued: .offlineGrantDeviceSecretIssued
        case .deviceSecretRevoked: .offlineGrantDeviceSecretRevoked
        case .deviceSecretUsed: .offlineGrantDeviceSecretUsed
        case .deviceLinked: .offlineGrantDeviceLinked
        case .clientJoined: .offlineGrantClientJoined
        case .clientLeft: .offlineGrantClientLeft
        case .urlIssued: .offlineGrantURLIssued
        }
    }

    func write(to payload: inout JSONWriter) {
        switch self {
        case .opened(let opening): opening.write(to: &payload)
        case .refreshTokenIssued(let issue, _): issue.write(to: &payload)
        case .accessTokenIssued(let issue): issue.write(to: &payload)
        case .refreshed(let refreshed): refreshed.write(to: &payload)
        case .retried(let family, let generation, let token, _):
            payload.member("family", Int64(family))
            payload.member("generation", Int64(generation))
            payload.member("jti", token.stream)
        case .reuseDetected(let family, let client, let presentedGeneration):
            payload.member("client", client)
            payload.member("family", Int64(family))
            payload.member("presented_generation", Int64(presentedGeneration))
        case .deviceKeyBound(let key, let insecure):
            payload.member("insecure", insecure)
            payload.member("jkt", key.thumbprint.digest)
            payload.member("key", json: key.jwk)
        case .app2appApproved(let approval):
            payload.member("biometric", approval.biometric)
            payload.member("code", approval.code)
            if let shown = approval.shown {
                payload.member("family", Int64(shown.family))
                payload.member("generation", Int64(shown.generation))
            }
            payload.member("insecure", approval.insecure)
            payload.member("target", approval.target)
        case .revoked(let reason):
            payload.member("reason", reason.rawValue)
        case .accessTokenRevoked(let token, let client, let expiresAt):
            payload.member("client", client)
            payload.member("expires_at", expiresAt)
            payload.member("jti", token.stream)
        case .reauthenticated(let authentication, _):
            payload.member("amr", authentication.methods)
            payload.member("approval", authentication.approval?.rawValue)
            payload.member("auth_time_at", authentication.at)
        case .deviceSecretIssued, .deviceSecretUsed, .deviceSecretRevoked, .deviceLinked,
            .clientJoined, .clientLeft, .urlIssued:
            writeSharing(to: &payload)
        }
    }

    init(_ type: StoredType, from payload: PayloadReader) throws(FormatError) {
        self =
            switch type {
            case .offlineGrantOpened: try .opened(from: payload)
            case .offlineGrantRefreshTokenIssued: try .refreshTokenIssued(from: payload)
            case .offlineGrantAccessTokenIssued: try .accessTokenIssued(from: payload)
            case .offlineGrantRefreshed: try .refreshed(from: payload)
            case .offlineGrantRetried: try .retried(from: payload)
            case .offlineGrantReuseDetected: try .reuseDetected(from: payload)
            case .offlineGrantDeviceKeyBound: try .deviceKeyBound(from: payload)
            case .offlineGrantRevoked: try .revoked(from: payload)
            case .offlineGrantAccessTokenRevoked: try .accessTokenRevoked(from: payload)
            case .offlineGrantReauthenticated: try .reauthenticated(from: payload)
            case .offlineGrantApp2AppApproved: try .app2appApproved(from: payload)
            default: try Self(sharing: type, from: payload)
            }
    }

    static func opened(from payload: PayloadReader) throws(FormatError) -> Self {
        .opened(try OfflineGrant.Opening(from: payload))
    }

    static func refreshTokenIssued(from payload: PayloadReader) throws(FormatError) -> Self {
        .refreshTokenIssued(
            try OfflineGrant.RefreshTokenIssue(from: payload),
            at: payload.occurredAt
        )
    }

    static func accessTokenIssued(from payload: PayloadReader) throws(FormatError) -> Self {
        .accessTokenIssued(try OfflineGrant.AccessTokenIssue(from: payload))
    }

    static func refreshed(from payload: PayloadReader) throws(FormatError) -> Self {
        .refreshed(try OfflineGrant.Refreshed(from: payload))
    }

    static func retried(from payload: PayloadReader) throws(FormatError) -> Self {
        .retried(
            family: try payload.integer("family"),
            generation: try payload.integer("generation"),
            token: TokenID(try payload.stream("jti")),
            at: payload.occurredAt
        )
    }

    static func reuseDetected(from payload: PayloadReader) throws(FormatError) -> Self {
        .reuseDetected(
            family: try payload.integer("family"),
            client: try payload.client(),
            presentedGeneration: try payload.integer("presented_generation")
        )
    }

    static func revoked(from payload: PayloadReader) throws(FormatError) -> Self {
        .revoked(try payload.choice("reason"))
    }

    static func accessTokenRevoked(from payload: PayloadReader) throws(FormatError) -> Self {
        .accessTokenRevoked(
            TokenID(try payload.stream("jti")),
            client: try payload.client(),
            expiresAt: try payload.time("expires_at")
        )
    }

    static func reauthenticated(from payload: PayloadReader) throws(FormatError) -> Self {
        .reauthenticated(try payload.authentication(), at: payload.occurredAt)
    }

    static func deviceKeyBound(from payload: PayloadReader) throws(FormatError) -> Self {
        .deviceKeyBound(
            DeviceKey(
                thumbprint: Thumbprint(digest: try payload.digest("jkt")),
                jwk: try payload.json("key")
            ),
            insecure: try payload.bool("insecure")
        )
    }

    static func app2appApproved(from payload: PayloadReader) throws(FormatError) -> Self {
        .app2appApproved(
            OfflineGrant.App2AppApproval(
                code: try payload.stream("code"),
                target: try payload.client("target"),
                insecure: try payload.bool("insecure"),
                biometric: try payload.bool("biometric"),
                shown: try payload.shownToken()
            )
        )
    }
}
