internal import Domain
internal import Issuing
internal import OAuth

/// Claims to and from JSON, members in the order of WireContract 8.3 and 8.4.
enum ClaimsJSON {
    /// What is the same for every user (WireContract 8.4): the last members of an ID token, and
    /// of an access token with full access (decision 0231).
    static let userClaims = """
        "https://authgear.com/claims/user/is_anonymous":false,\
        "https://authgear.com/claims/user/is_verified":true,\
        "https://authgear.com/claims/user/can_reauthenticate":true,\
        "https://authgear.com/claims/user/roles":[]
        """
    private static let userClaimBytes = Array(userClaims.utf8)

    static func write(_ claims: AccessTokenClaims, issuer: String) -> [UInt8] {
        var writer = JSONWriter(reserving: 896)
        writer.object { writer in
            writer.member("iss", issuer)
            writer.member("aud", claims.audience)
            writer.member("sub", claims.subject)
            writer.member("client_id", claims.client.text)
            writer.member("iat", claims.issuedAt.seconds)
            writer.member("exp", claims.expiresAt.seconds)
            writer.member("jti", verbatim: claims.token.stream.textBytes)
            if !claims.scope.isEmpty { writer.member("scope", claims.scope.text) }
            if let session = claims.session {
                writer.member("sid", verbatim: session.stream.textBytes)
            }
            if let authentication = claims.authentication { write(authentication, to: &writer) }
            if let confirmation = claims.confirmation {
                writer.name("cnf")
                writer.object { writer in
                    writer.member("jkt", verbatim: Base64URL.encode(confirmation.digest.bytes))
                }
            }
            if claims.scope.contains(BuiltInScopes.fullAccess) { writer.rendered(userClaimBytes) }
        }
        return writer.bytes
    }

    static func write(_ claims: IDTokenClaims, issuer: String, accessTokenHash: [UInt8]?)
        -> [UInt8]
    {
        var writer = JSONWriter(reserving: 768)
        writer.object { writer in
            writer.member("iss", issuer)
            writer.member("sub", verbatim: claims.subject.stream.textBytes)
            writer.member("aud", claims.audience.text)
            writer.member("iat", claims.issuedAt.seconds)
            writer.member("exp", claims.expiresAt.seconds)
            if let nonce = claims.nonce { writer.member("nonce", nonce) }
            write(claims.authentication, to: &writer)
            writer.member("sid", verbatim: claims.session.stream.textBytes)
            if let accessTokenHash {
                writer.member("at_hash", verbatim: Base64URL.encode(accessTokenHash))
            }
            if let hash = claims.deviceSecretHash {
                writer.member("ds_hash", verbatim: Base64URL.encode(hash.bytes))
            }
            writer.rendered(userClaimBytes)
        }
        return writer.bytes
    }

    private static func write(_ authentication: Authentication, to writer: inout JSONWriter) {
        writer.member("auth_time", authentication.at.seconds)
        writer.member("acr", authentication.context)
        writer.member("amr", authentication.methods.map(\.rawValue))
    }

    /// Nil for anything this issuer would not have written.
    static func readAccessToken(_ payload: [UInt8], issuer: String) -> AccessTokenClaims? {
        if let claims = WrittenClaims.accessToken(payload, issuer: issuer) { return claims }
        guard let json = try? JSONReader.read(payload), isIssuer(json, issuer),
            let token = json["jti"]?.string.flatMap({ TokenID(text: $0.utf8) }),
            let subject = json["sub"]?.string,
            let client = json["client_id"]?.string.flatMap({ ClientID($0) }),
            let audience = json["aud"]?.strings, !audience.isEmpty,
            let issuedAt = json["iat"]?.integer, let expiresAt = json["exp"]?.integer,
            let scope = json["scope"].map({ $0.string.flatMap { Scope($0) } }) ?? .empty
        else { return nil }
        var claims = AccessTokenClaims(
            token: token,
            subject: subject,
            client: client,
            audience: audience,
            scope: scope,
            issuedAt: Instant(seconds: issuedAt),
            expiresAt: Instant(seconds: expiresAt)
        )
        if let member = json["sid"] {
            guard let session = member.string.flatMap({ SessionID(text: $0.utf8) }) else {
                return nil
            }
            claims.session = session
        }
        if json["auth_time"] != nil {
            guard let authentication = authentication(json) else { return nil }
            claims.authentication = authentication
        }
        if let member = json["cnf"] {
            guard let text = member["jkt"]?.string, let bytes = Base64URL.decode(Array(text.utf8)),
                let digest = TokenDigest(bytes: bytes)
            else { return nil }
            claims.confirmation = Thumbprint(digest: digest)
        }
        return claims
    }

    /// Nil for anything this issuer would not have written.
    static func readIDToken(_ payload: [UInt8], issuer: String) -> IDTokenClaims? {
        if let claims = WrittenClaims.idToken(payload, issuer: issuer) { return claims }
        guard let json = try? JSONReader.read(payload), isIssuer(json, issuer),
            let subject = json["sub"]?.string.flatMap({ SubjectID(text: $0.utf8) }),
            let audience = json["aud"]?.string.flatMap({ ClientID($0) }),
            let issuedAt = json["iat"]?.integer, let expiresAt = json["exp"]?.integer,
            let authentication = authentication(json),
            let session = json["sid"]?.string.flatMap({ SessionID(text: $0.utf8) })
        else { return nil }
        var deviceSecretHash: TokenDigest?
        if let member = json["ds_hash"] {
            guard let text = member.string, let bytes = Base64URL.decode(Array(text.utf8)),
                let digest = TokenDigest(bytes: bytes)
            else { return nil }
            deviceSecretHash = digest
        }
        return IDTokenClaims(
            subject: subject,
            audience: audience,
            issuedAt: Instant(seconds: issuedAt),
            expiresAt: Instant(seconds: expiresAt),
            authentication: authentication,
            nonce: json["nonce"]?.string,
            session: session,
            deviceSecretHash: deviceSecretHash
        )
    }

    private static func isIssuer(_ json: JSON, _ issuer: String) -> Bool {
        json["iss"]?.string?.isSame(as: issuer) ?? false
    }

    private static func authentication(_ json: JSON) -> Authentication? {
        guard let time = json["auth_time"]?.integer, let names = json["amr"]?.strings else {
            return nil
        }
        return authentication(names, at: time)
    }

    /// Nil for a method that is unknown.
    static func authentication(_ names: [String], at time: Int64) -> Authentication? {
        let methods = names.compactMap { AuthenticationMethod(rawValue: $0) }
        guard methods.count == names.count else { return nil }
        return Authentication(methods: methods, at: Instant(seconds: time))
    }
}
