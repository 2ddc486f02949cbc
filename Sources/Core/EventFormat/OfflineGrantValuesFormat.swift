internal import Domain
internal import OAuth

extension OfflineGrant.Opening {
    func write(to payload: inout JSONWriter) {
        payload.member("amr", authentication.methods)
        payload.member("approval", authentication.approval?.rawValue)
        payload.member("auth_time_at", authentication.at)
        payload.member("browser_session", browserSession?.stream)
        payload.member("client", client)
        payload.member("device", device)
        payload.member("expires_at", expiresAt)
        payload.member("idle_ms", idleMilliseconds)
        payload.member("parent", parent)
        payload.member("scope", scope)
        payload.member("via", via.rawValue)
    }

    init(from payload: PayloadReader) throws(FormatError) {
        self.init(
            subject: try payload.subject(),
            client: try payload.client(),
            scope: try payload.scope(),
            authentication: try payload.authentication(),
            via: try payload.choice("via"),
            parent: try payload.parent(),
            browserSession: try payload.optionalStream("browser_session").map(SessionID.init),
            openedAt: payload.occurredAt,
            expiresAt: try payload.time("expires_at"),
            idleMilliseconds: try payload.integer("idle_ms"),
            device: try payload.optionalSealed("device")
        )
    }
}

extension OfflineGrant.RefreshTokenIssue {
    func write(to payload: inout JSONWriter) {
        payload.member("client", client)
        payload.member("dpop_jkt", dpopKey?.digest)
        payload.member("expires_at", expiresAt)
        payload.member("family", Int64(family))
        payload.member("resources", unlessEmpty: resources)
        payload.member("rotates", rotates)
        payload.member("scope", scope)
        payload.member("secret", secret)
    }

    init(from payload: PayloadReader) throws(FormatError) {
        self.init(
            client: try payload.client(),
            family: try payload.integer("family"),
            scope: try payload.scope(),
            secret: try payload.digest("secret"),
            rotates: try payload.bool("rotates"),
            dpopKey: try payload.optionalDigest("dpop_jkt").map(Thumbprint.init(digest:)),
            resources: try payload.texts("resources"),
            expiresAt: try payload.time("expires_at")
        )
    }
}

extension OfflineGrant.AccessTokenIssue {
    func write(to payload: inout JSONWriter) {
        payload.member("client", client)
        payload.member("dpop_jkt", dpopKey?.digest)
        payload.member("expires_at", expiresAt)
        payload.member("jti", token.stream)
        payload.member("scope", scope)
        payload.member("via", via.rawValue)
    }

    init(from payload: PayloadReader) throws(FormatError) {
        self.init(
            token: TokenID(try payload.stream("jti")),
            client: try payload.client(),
            scope: try payload.scope(),
            via: try payload.choice("via"),
            dpopKey: try payload.optionalDigest("dpop_jkt").map(Thumbprint.init(digest:)),
            expiresAt: try payload.time("expires_at")
        )
    }
}

extension OfflineGrant.Refreshed {
    func write(to payload: inout JSONWriter) {
        payload.member("client", client)
        payload.member("expires_at", expiresAt)
        payload.member("family", Int64(family))
        payload.member("generation", Int64(generation))
        payload.member("jti", token.stream)
        payload.member("rotated", secret != nil)
        payload.member("scope", scope)
        payload.member("secret", secret)
    }

    init(from payload: PayloadReader) throws(FormatError) {
        let secret = try payload.optionalDigest("secret")
        guard try payload.bool("rotated") == (secret != nil) else { throw .invalid("rotated") }
        self.init(
            family: try payload.integer("family"),
            client: try payload.client(),
            generation: try payload.integer("generation"),
            secret: secret,
            token: TokenID(try payload.stream("jti")),
            scope: try payload.scope(),
            expiresAt: try payload.time("expires_at"),
            at: payload.occurredAt
        )
    }
}
