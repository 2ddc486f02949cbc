internal import Domain
internal import OAuth

extension OfflineGrant.State: StoredState {
    // 11: by which codes it let others in, that a token which was shown then has come back, and how
    // far from its first client anybody ever was.
    static var format: Int32 { 11 }

    var isInitial: Bool { self == .absent }

    func write(to payload: inout JSONWriter) {
        switch self {
        case .absent: break
        case .open(let shared): shared.value.write(to: &payload, revoked: nil)
        case .revoked(let shared, let reason):
            shared.value.write(to: &payload, revoked: reason)
        }
    }

    init(from payload: PayloadReader) throws(FormatError) {
        let session = Shared(try OfflineGrant.Session(state: payload))
        let reason = try payload.optional("revoked") {
            $0.string.flatMap(RevocationReason.init(rawValue:))
        }
        self = reason.map { .revoked(session, $0) } ?? .open(session)
    }
}

extension OfflineGrant.Session {
    fileprivate func write(to payload: inout JSONWriter, revoked: RevocationReason?) {
        payload.member("amr", authentication.methods)
        payload.member("approval", authentication.approval?.rawValue)
        if let approvedCodes {
            payload.member("approved_codes", objects: approvedCodes) { $0.member("code", $1) }
        }
        payload.member("auth_time_at", authentication.at)
        payload.member("clients", objects: clients) { $1.write(to: &$0) }
        if let deviceKey {
            payload.name("device_key")
            payload.object { key in
                key.member("jkt", deviceKey.thumbprint.digest)
                key.member("key", json: deviceKey.jwk)
            }
        }
        if let deviceSecret {
            payload.name("device_secret")
            payload.object { deviceSecret.write(to: &$0) }
        }
        payload.member("families", objects: families) { $1.write(to: &$0) }
        payload.member("families_issued", Int64(familiesIssued))
        payload.member("furthest", Int64(furthest))
        payload.member("last_used_us", microseconds: lastUsedAt)
        payload.member("linked", linkedDevice?.stream)
        payload.member("opened_us", microseconds: opening.openedAt)
        payload.name("opening")
        payload.object { opening.write(to: &$0) }
        payload.member("revoked", revoked?.rawValue)
        payload.member("revoked_tokens", objects: revokedTokens) { token, revoked in
            token.member("expires_us", microseconds: revoked.expiresAt)
            token.member("jti", revoked.token.stream)
        }
        payload.member("subject", opening.subject.stream)
        payload.member("used", isUsed)
    }

    fileprivate init(state payload: PayloadReader) throws(FormatError) {
        let columns = StoredColumns(
            occurredAt: try payload.microseconds("opened_us"),
            subject: try payload.subject("subject")
        )
        let opening = try payload.object("opening", columns: columns)
        self.init(opening: try OfflineGrant.Opening(from: opening))
        authentication = try payload.authentication()
        lastUsedAt = try payload.microseconds("last_used_us")
        isUsed = try payload.bool("used")
        if payload.has("device_key") {
            let key = try payload.object("device_key")
            deviceKey = DeviceKey(
                thumbprint: Thumbprint(digest: try key.digest("jkt")),
                jwk: try key.json("key")
            )
        }
        approvedCodes = nil
        if payload.has("approved_codes") {
            approvedCodes = try payload.objects("approved_codes") { code throws(FormatError) in
                try code.stream("code")
            }
        }
        clients = try payload.objects("clients") { client throws(FormatError) in
            try OfflineGrant.KnownClient(state: client)
        }
        if payload.has("device_secret") {
            deviceSecret = try OfflineGrant.DeviceSecret(state: payload.object("device_secret"))
        }
        familiesIssued = try payload.integer("families_issued")
        furthest = try payload.integer("furthest")
        linkedDevice = try payload.optionalStream("linked").map(SessionID.init)
        families = try payload.objects("families") { family throws(FormatError) in
            try OfflineGrant.Family(state: family)
        }
        revokedTokens = try payload.objects("revoked_tokens") { token throws(FormatError) in
            OfflineGrant.RevokedToken(
                token: TokenID(try token.stream("jti")),
                expiresAt: try token.microseconds("expires_us")
            )
        }
    }
}

extension OfflineGrant.Family {
    private static let digestBytes = 32

    fileprivate func write(to family: inout JSONWriter) {
        if let approvedGeneration { family.member("approved", Int64(approvedGeneration)) }
        // One text for all: a session that was refreshed often keeps 256 of them.
        family.member("digests", verbatim: Base64URL.encode(digests.stored.flatMap(\.bytes)))
        family.member("generation", Int64(generation))
        family.name("issue")
        family.object { issue.write(to: &$0) }
        family.member("rotated_us", microseconds: rotatedAt)
        family.member("used", currentUsed)
    }

    fileprivate init(state family: PayloadReader) throws(FormatError) {
        self.init(
            issue: try OfflineGrant.RefreshTokenIssue(from: family.object("issue")),
            at: try family.microseconds("rotated_us")
        )
        generation = try family.integer("generation")
        digests = RecentDigests(try family.required("digests", Self.digests))
        currentUsed = try family.bool("used")
        approvedGeneration = try family.optionalInteger("approved")
    }

    private static func digests(_ value: PayloadValue) -> [TokenDigest]? {
        guard let bytes = value.utf8.flatMap({ Base64URL.decode($0) }),
            bytes.count.isMultiple(of: digestBytes)
        else { return nil }
        return stride(from: 0, to: bytes.count, by: digestBytes).compactMap {
            TokenDigest(bytes: bytes.span.extracting($0..<($0 + digestBytes)))
        }
    }
}

extension OfflineGrant.KnownClient {
    fileprivate func write(to known: inout JSONWriter) {
        known.member("admitted_us", microseconds: admittedAt)
        known.member("client", client)
        known.member("depth", Int64(depth))
        known.member("since_us", microseconds: since)
        known.member("via", via.rawValue)
    }

    fileprivate init(state known: PayloadReader) throws(FormatError) {
        self.init(
            client: try known.client(),
            via: try known.choice("via"),
            depth: try known.integer("depth"),
            since: try known.microseconds("since_us")
        )
        admittedAt = try known.microseconds("admitted_us")
    }
}

extension OfflineGrant.DeviceSecret {
    fileprivate func write(to secret: inout JSONWriter) {
        secret.member("digest", digest)
        secret.member("dpop_jkt", dpopKey?.digest)
        secret.member("generation", Int64(generation))
        secret.member("issued_us", microseconds: issuedAt)
        secret.member("previous", previous)
        secret.member("revoked", isRevoked)
        secret.member("used", isUsed)
    }

    fileprivate init(state secret: PayloadReader) throws(FormatError) {
        self.init(
            OfflineGrant.DeviceSecretIssued(
                generation: try secret.integer("generation"),
                secret: try secret.digest("digest"),
                dpopKey: try secret.optionalDigest("dpop_jkt").map(Thumbprint.init(digest:)),
                at: try secret.microseconds("issued_us")
            ),
            after: try secret.optionalDigest("previous")
        )
        isRevoked = try secret.bool("revoked")
        isUsed = try secret.bool("used")
    }
}
