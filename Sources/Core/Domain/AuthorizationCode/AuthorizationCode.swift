/// An authorization code: redeemed at most once (Events 8.6, RFC 6749 section 4.1.2).
package enum AuthorizationCode {
    package enum State: Hashable, Sendable {
        case absent
        case issued(Shared<Ticket>)
        case redeemed(Shared<Ticket>, Redemption)
        /// Replayed and acted on; written once.
        case replayed(Shared<Ticket>, Redemption)
    }

    /// Who issued a code: the authorization endpoint, or a session of another app.
    package enum Via: String, Hashable, Sendable, CaseIterable {
        case authorize, app2app
        case app2appBiometric = "app2app_biometric"
    }

    package struct Ticket: Hashable, Sendable {
        package var client: ClientID
        package var redirectURI: RedirectURI
        package var redirectURIGiven: Bool
        package var scope: Scope
        package var resources: [String]
        package var secret: TokenDigest
        package var codeChallenge: CodeChallenge?
        package var nonce: String?
        package var dpopKey: Thumbprint?
        package var subject: SubjectID
        package var authentication: Authentication
        package var parent: Parent
        package var via: Via
        /// The browser-session it belongs to; absent without SSO.
        package var browserSession: SessionID?
        /// The app's session that its redemption joins, instead of opening one.
        package var continuation: Continuation?
        /// app2app: the session whose holder let the other app in; the code dies with it.
        package var owner: SessionID?
        /// The offline-grant whose `auth_time` its redemption renews (WireContract 4.5).
        package var renews: SessionID?
        package var expiresAt: Instant

        package init(
            client: ClientID,
            redirectURI: RedirectURI,
            redirectURIGiven: Bool,
            scope: Scope,
            resources: [String] = [],
            secret: TokenDigest,
            codeChallenge: CodeChallenge?,
            nonce: String? = nil,
            dpopKey: Thumbprint? = nil,
            subject: SubjectID,
            authentication: Authentication,
            parent: Parent,
            via: Via = .authorize,
            browserSession: SessionID?,
            continuation: Continuation? = nil,
            owner: SessionID? = nil,
            renews: SessionID? = nil,
            expiresAt: Instant
        ) {
            self.client = client
            self.redirectURI = redirectURI
            self.redirectURIGiven = redirectURIGiven
            self.scope = scope
            self.resources = resources
            self.secret = secret
            self.codeChallenge = codeChallenge
            self.nonce = nonce
            self.dpopKey = dpopKey
            self.subject = subject
            self.authentication = authentication
            self.parent = parent
            self.via = via
            self.browserSession = browserSession
            self.continuation = continuation
            self.owner = owner
            self.renews = renews
            self.expiresAt = expiresAt
        }
    }

    package struct Redemption: Hashable, Sendable {
        package var grant: SessionID
        /// The refresh tokens it gave; nil when it gave none, or before this was kept.
        package var family: UInt16?
        /// The access token of a renewal; nil for all others, and before this was kept.
        package var token: TokenID?
        package var at: Instant

        package init(
            grant: SessionID,
            family: UInt16? = nil,
            token: TokenID? = nil,
            at: Instant
        ) {
            self.grant = grant
            self.family = family
            self.token = token
            self.at = at
        }
    }

    /// What the token request proves.
    package struct Presentation: Hashable, Sendable {
        package var secret: TokenDigest
        package var client: ClientID
        package var redirectURI: RedirectURI?
        /// SHA-256 of the `code_verifier`.
        package var verifier: TokenDigest?
        package var dpopKey: Thumbprint?
        package var at: Instant

        package init(
            secret: TokenDigest,
            client: ClientID,
            redirectURI: RedirectURI?,
            verifier: TokenDigest?,
            dpopKey: Thumbprint? = nil,
            at: Instant
        ) {
            self.secret = secret
            self.client = client
            self.redirectURI = redirectURI
            self.verifier = verifier
            self.dpopKey = dpopKey
            self.at = at
        }
    }

    /// How long after redemption a replay is taken for a retry and changes nothing
    /// (WireContract 5.2).
    package static let replayGraceMilliseconds: Int64 = 10_000

    package enum Command: Sendable {
        case issue(Ticket)
        /// `family`: of the refresh tokens it gives; `token`: the access token of a renewal.
        case redeem(Presentation, grant: SessionID, family: UInt16?, token: TokenID? = nil)
        /// A replay with everything right; `used`: a token issued from the code was used since.
        case recordReplay(Presentation, used: Bool)
    }

    package enum Event: Hashable, Sendable {
        case issued(Ticket)
        case redeemed(Redemption)
        case replayed(afterMilliseconds: Int64, revoked: Bool)
    }

    package enum Rejection: Error {
        case alreadyIssued, unknown, otherClient, otherRedirectURI, wrongVerifier
        case expired, otherKey
        /// Redeemed before, by a request with the right client, redirect URI and verifier.
        case redeemed(Redemption)
    }
}
