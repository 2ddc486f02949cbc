internal import Domain
internal import OAuth

extension AuthorizationCode.Event {
    var storedType: StoredType {
        switch self {
        case .issued: .authorizationCodeIssued
        case .redeemed: .authorizationCodeRedeemed
        case .replayed: .authorizationCodeReplayed
        }
    }

    func write(to payload: inout JSONWriter) {
        switch self {
        case .issued(let ticket): ticket.write(to: &payload)
        case .redeemed(let redemption):
            if let family = redemption.family { payload.member("family", Int64(family)) }
            payload.member("grant", redemption.grant.stream)
            payload.member("jti", redemption.token?.stream)
        case .replayed(let afterMilliseconds, let revoked):
            payload.member("after_ms", afterMilliseconds)
            payload.member("revoked", revoked)
        }
    }

    static func issued(from payload: PayloadReader) throws(FormatError) -> Self {
        .issued(try AuthorizationCode.Ticket(from: payload))
    }

    static func redeemed(from payload: PayloadReader) throws(FormatError) -> Self {
        .redeemed(
            AuthorizationCode.Redemption(
                grant: SessionID(try payload.stream("grant")),
                family: try payload.optionalInteger("family"),
                token: try payload.optionalStream("jti").map(TokenID.init),
                at: payload.occurredAt
            )
        )
    }

    static func replayed(from payload: PayloadReader) throws(FormatError) -> Self {
        .replayed(
            afterMilliseconds: try payload.integer("after_ms"),
            revoked: try payload.bool("revoked")
        )
    }
}

extension AuthorizationCode.Ticket {
    fileprivate func write(to payload: inout JSONWriter) {
        payload.member("amr", authentication.methods)
        payload.member("app_client", continuation?.host)
        payload.member("app_session", continuation?.session.stream)
        payload.member("app_since_at", continuation?.since)
        payload.member("approval", authentication.approval?.rawValue)
        payload.member("auth_time_at", authentication.at)
        payload.member("client", client)
        payload.member("code_challenge", codeChallenge?.digest)
        payload.member("dpop_jkt", dpopKey?.digest)
        payload.member("expires_at", expiresAt)
        payload.member("nonce", nonce)
        payload.member("parent", parent)
        payload.member("redirect_uri", redirectURI.text)
        payload.member("redirect_uri_given", redirectURIGiven)
        payload.member("renews", renews?.stream)
        payload.member("resources", unlessEmpty: resources)
        payload.member("scope", scope)
        payload.member("secret", secret)
        payload.member("session", (browserSession ?? owner)?.stream)
        payload.member("via", via.rawValue)
    }

    fileprivate init(from payload: PayloadReader) throws(FormatError) {
        let via: AuthorizationCode.Via = try payload.choice("via")
        let session = try payload.optionalStream("session").map(SessionID.init)
        self.init(
            client: try payload.client(),
            redirectURI: try payload.redirectURI(),
            redirectURIGiven: try payload.bool("redirect_uri_given"),
            scope: try payload.scope(),
            resources: try payload.texts("resources"),
            secret: try payload.digest("secret"),
            codeChallenge: try payload.optionalDigest("code_challenge")
                .map(CodeChallenge.init(digest:)),
            nonce: try payload.optionalText("nonce"),
            dpopKey: try payload.optionalDigest("dpop_jkt").map(Thumbprint.init(digest:)),
            subject: try payload.subject(),
            authentication: try payload.authentication(),
            parent: try payload.parent(),
            via: via,
            browserSession: via == .authorize ? session : nil,
            continuation: try payload.continuation(),
            owner: via == .authorize ? nil : session,
            renews: try payload.optionalStream("renews").map(SessionID.init),
            expiresAt: try payload.time("expires_at")
        )
    }
}
