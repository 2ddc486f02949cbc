/// What a project's document means, every default filled in (WireContract 3.1).
package struct ProjectSettings: Hashable, Sendable {
    package var id: ProjectID
    /// Shown on pages and in mail, 1–80 characters.
    package var name: String
    /// The issuer: an origin without trailing slash.
    package var publicOrigin: String
    /// Host names answered, lower case, without port.
    package var hosts: [String]
    package var projectorOrigin: String
    /// More CORS origins.
    package var allowedOrigins: [String]
    package var cookiePrefix: String
    package var cookieDomain: String?
    package var signingAlgorithm: SigningKeyRing.Algorithm
    package var codeLifetimeSeconds: Int64
    package var requestURILifetimeSeconds: Int64
    package var challengeLifetimeSeconds: Int64
    /// Whether proofs must carry a nonce of ours (`oauth.dpop_nonce`).
    package var requiresDPoPNonce: Bool
    package var idTokenLifetimeSeconds: Int64
    package var urlTokenLifetimeSeconds: Int64
    package var resources: [Resource]
    package var sessionLifetimeSeconds: Int64
    package var sessionIdleSeconds: Int64
    package var signup: Signup
    package var loginLinkLifetimeSeconds: Int64
    /// By `client_id`, in the document's order.
    package var clients: [ClientSettings]

    package enum Signup: String, Hashable, Sendable, CaseIterable { case open, closed }

    /// A resource server's URI and its custom scopes (RFC 8707).
    package struct Resource: Hashable, Sendable {
        package var uri: String
        package var scopes: [String]

        package init(uri: String, scopes: [String]) {
            self.uri = uri
            self.scopes = scopes
        }
    }

    /// The defaults of WireContract 3.1.
    package init(
        id: ProjectID,
        name: String,
        publicOrigin: String,
        hosts: [String],
        clients: [ClientSettings]
    ) {
        self.id = id
        self.name = name
        self.publicOrigin = publicOrigin
        self.hosts = hosts
        self.clients = clients
        projectorOrigin = publicOrigin
        allowedOrigins = []
        cookiePrefix = ""
        cookieDomain = nil
        signingAlgorithm = .es256
        codeLifetimeSeconds = 60
        requestURILifetimeSeconds = 60
        challengeLifetimeSeconds = 300
        requiresDPoPNonce = false
        idTokenLifetimeSeconds = 300
        urlTokenLifetimeSeconds = 60
        resources = []
        sessionLifetimeSeconds = 2_592_000
        sessionIdleSeconds = 604_800
        signup = .open
        loginLinkLifetimeSeconds = 600
    }
}
