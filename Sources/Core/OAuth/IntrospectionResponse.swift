/// The answer of the introspection endpoint (RFC 7662 section 2.2, WireContract 9.2).
package enum IntrospectionResponse: Hashable, Sendable {
    /// Says nothing else, whatever the reason.
    case inactive
    case active(Token)

    /// Times are in seconds since 1970.
    package struct Token: Hashable, Sendable {
        package var issuer: String
        package var subject: String
        /// Nil for refresh tokens.
        package var audience: [String]?
        package var client: String
        package var scope: String
        /// Nil where it is not known.
        package var issuedAt: Int64?
        package var expiresAt: Int64
        /// `jti`; nil for refresh tokens.
        package var token: String?
        /// `sid`; nil for client credentials.
        package var session: String?
        package var authenticatedAt: Int64?
        package var authenticationContext: String?
        package var authenticationMethods: [String]
        package var type: TokenResponse.TokenType
        /// `cnf.jkt`, 43 characters.
        package var keyThumbprint: String?

        package init(
            issuer: String,
            subject: String,
            audience: [String]?,
            client: String,
            scope: String,
            issuedAt: Int64?,
            expiresAt: Int64,
            token: String?,
            session: String?,
            authenticatedAt: Int64?,
            authenticationContext: String?,
            authenticationMethods: [String],
            type: TokenResponse.TokenType,
            keyThumbprint: String?
        ) {
            self.issuer = issuer
            self.subject = subject
            self.audience = audience
            self.client = client
            self.scope = scope
            self.issuedAt = issuedAt
            self.expiresAt = expiresAt
            self.token = token
            self.session = session
            self.authenticatedAt = authenticatedAt
            self.authenticationContext = authenticationContext
            self.authenticationMethods = authenticationMethods
            self.type = type
            self.keyThumbprint = keyThumbprint
        }
    }

    /// The body, members in the order of WireContract 9.2.
    package func render() -> [UInt8] {
        var writer = JSONWriter(reserving: 768)
        switch self {
        case .inactive: writer.object { $0.member("active", false) }
        case .active(let token): writer.object { Self.write(token, to: &$0) }
        }
        return writer.bytes
    }

    private static func write(_ token: Token, to writer: inout JSONWriter) {
        writer.member("active", true)
        writer.member("iss", token.issuer)
        writer.member("sub", token.subject)
        if let audience = token.audience { writer.member("aud", audience) }
        writer.member("client_id", token.client)
        writer.member("scope", token.scope)
        if let issuedAt = token.issuedAt { writer.member("iat", issuedAt) }
        writer.member("exp", token.expiresAt)
        if let identifier = token.token { writer.member("jti", identifier) }
        if let session = token.session { writer.member("sid", session) }
        if let time = token.authenticatedAt { writer.member("auth_time", time) }
        if let context = token.authenticationContext { writer.member("acr", context) }
        if !token.authenticationMethods.isEmpty {
            writer.member("amr", token.authenticationMethods)
        }
        writer.member("token_type", token.type.rawValue)
        if let thumbprint = token.keyThumbprint {
            writer.name("cnf")
            writer.object { $0.member("jkt", thumbprint) }
        }
    }
}
