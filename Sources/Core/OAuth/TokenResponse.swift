/// A successful answer of the token endpoint (RFC 6749 section 5.1, WireContract 5.1).
///
/// Tokens are ASCII bytes that need no JSON escape.
package struct TokenResponse: Hashable, Sendable {
    package enum TokenType: String, Hashable, Sendable {
        case bearer = "Bearer"
        case dpop = "DPoP"
    }

    /// The members that come together.
    package struct AccessToken: Hashable, Sendable {
        package var text: [UInt8]
        package var type: TokenType
        package var expiresInSeconds: Int64
        /// Nil only for the pre-authenticated URL exchange (WireContract 5.7).
        package var scope: String?

        package init(
            text: [UInt8],
            type: TokenType,
            expiresInSeconds: Int64,
            scope: String?
        ) {
            self.text = text
            self.type = type
            self.expiresInSeconds = expiresInSeconds
            self.scope = scope
        }
    }

    package var accessToken: AccessToken?
    package var refreshToken: [UInt8]?
    package var idToken: [UInt8]?
    package var deviceSecret: [UInt8]?
    package var issuedTokenType: String?
    /// The app2app code (WireContract 5.4).
    package var code: [UInt8]?

    package init(
        accessToken: AccessToken? = nil,
        refreshToken: [UInt8]? = nil,
        idToken: [UInt8]? = nil,
        deviceSecret: [UInt8]? = nil,
        issuedTokenType: String? = nil,
        code: [UInt8]? = nil
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.deviceSecret = deviceSecret
        self.issuedTokenType = issuedTokenType
        self.code = code
    }

    /// The body: only members that apply, in the order of WireContract 5.1.
    package func render() -> [UInt8] {
        let tokens = (accessToken?.text.count ?? 0) + (idToken?.count ?? 0)
        var writer = JSONWriter(reserving: 512 + tokens)
        writer.object { writer in
            if let accessToken {
                writer.member("access_token", verbatim: accessToken.text)
                writer.member("token_type", accessToken.type.rawValue)
                writer.member("expires_in", accessToken.expiresInSeconds)
            }
            if let refreshToken { writer.member("refresh_token", verbatim: refreshToken) }
            if let idToken { writer.member("id_token", verbatim: idToken) }
            if let scope = accessToken?.scope { writer.member("scope", scope) }
            if let deviceSecret { writer.member("device_secret", verbatim: deviceSecret) }
            if let issuedTokenType { writer.member("issued_token_type", issuedTokenType) }
            if let code { writer.member("code", verbatim: code) }
        }
        return writer.bytes
    }
}
