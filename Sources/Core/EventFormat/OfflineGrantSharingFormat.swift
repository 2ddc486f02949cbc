internal import Domain
internal import OAuth

// Device secrets, and the clients that share a session.
extension OfflineGrant.Event {
    func writeSharing(to payload: inout JSONWriter) {
        switch self {
        case .deviceSecretIssued(let issued):
            payload.member("dpop_jkt", issued.dpopKey?.digest)
            payload.member("generation", Int64(issued.generation))
            payload.member("secret", issued.secret)
        case .deviceSecretUsed(let generation), .deviceSecretRevoked(let generation):
            payload.member("generation", Int64(generation))
        case .deviceLinked(let session):
            payload.member("session", session.stream)
        case .clientJoined(let joined): joined.write(to: &payload)
        case .clientLeft(let client, let reason):
            payload.member("client", client)
            payload.member("reason", reason.rawValue)
        case .urlIssued(let issued):
            payload.member("client", issued.client)
            payload.member("depth", Int64(issued.depth))
            payload.member("url", issued.url)
        case .opened, .refreshTokenIssued, .accessTokenIssued, .refreshed, .retried,
            .reuseDetected, .revoked, .accessTokenRevoked, .reauthenticated, .deviceKeyBound,
            .app2appApproved:
            break
        }
    }

    init(sharing type: StoredType, from payload: PayloadReader) throws(FormatError) {
        self =
            switch type {
            case .offlineGrantDeviceSecretIssued: try .secretIssued(from: payload)
            case .offlineGrantDeviceSecretRevoked:
                .deviceSecretRevoked(generation: try payload.integer("generation"))
            case .offlineGrantDeviceSecretUsed:
                .deviceSecretUsed(generation: try payload.integer("generation"))
            case .offlineGrantDeviceLinked:
                .deviceLinked(SessionID(try payload.stream("session")))
            case .offlineGrantClientJoined:
                .clientJoined(try OfflineGrant.ClientJoined(from: payload))
            case .offlineGrantClientLeft:
                .clientLeft(try payload.client(), try payload.choice("reason"))
            case .offlineGrantURLIssued: try .url(from: payload)
            default: throw .unknownType(type.rawValue)
            }
    }

    private static func secretIssued(from payload: PayloadReader) throws(FormatError) -> Self {
        .deviceSecretIssued(
            OfflineGrant.DeviceSecretIssued(
                generation: try payload.integer("generation"),
                secret: try payload.digest("secret"),
                dpopKey: try payload.optionalDigest("dpop_jkt").map(Thumbprint.init(digest:)),
                at: payload.occurredAt
            )
        )
    }

    private static func url(from payload: PayloadReader) throws(FormatError) -> Self {
        .urlIssued(
            OfflineGrant.URLIssued(
                client: try payload.client(),
                depth: try payload.integer("depth"),
                url: try payload.stream("url"),
                at: payload.occurredAt
            )
        )
    }
}

extension OfflineGrant.ClientJoined {
    fileprivate func write(to payload: inout JSONWriter) {
        payload.member("client", client)
        payload.member("depth", Int64(depth))
        payload.member("device_secret", generation: deviceSecret)
        payload.member("parent", parent)
        payload.member("scope", scope)
        payload.member("via", via.rawValue)
    }

    fileprivate init(from payload: PayloadReader) throws(FormatError) {
        self.init(
            client: try payload.client(),
            scope: try payload.scope(),
            via: try payload.choice("via"),
            depth: try payload.integer("depth"),
            parent: try payload.parent(),
            deviceSecret: try payload.generation("device_secret"),
            at: payload.occurredAt
        )
    }
}

extension JSONWriter {
    mutating func member(_ name: String, generation: UInt32?) {
        if let generation { member(name, Int64(generation)) }
    }
}

extension PayloadReader {
    /// Absent means none.
    func generation(_ name: String) throws(FormatError) -> UInt32? {
        try optional(name) { $0.integer.flatMap(UInt32.init(exactly:)) }
    }
}
