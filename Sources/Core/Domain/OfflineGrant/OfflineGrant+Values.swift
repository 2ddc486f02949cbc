extension OfflineGrant {
    /// How a session came to be.
    package enum Via: String, Hashable, Sendable, CaseIterable {
        case code, app2app, biometric
    }

    /// What opens a session (event 701).
    package struct Opening: Hashable, Sendable {
        package var subject: SubjectID
        package var client: ClientID
        package var scope: Scope
        package var authentication: Authentication
        package var via: Via
        package var parent: Parent
        /// Bound: it dies with the browser-session, which every issuing append guards.
        package var browserSession: SessionID?
        package var openedAt: Instant
        package var expiresAt: Instant
        /// 0: no idle timeout, as where there is no refresh token whose use would begin it again.
        package var idleMilliseconds: Int64
        package var device: Sealed?

        package init(
            subject: SubjectID,
            client: ClientID,
            scope: Scope,
            authentication: Authentication,
            via: Via,
            parent: Parent,
            browserSession: SessionID?,
            openedAt: Instant,
            expiresAt: Instant,
            idleMilliseconds: Int64,
            device: Sealed? = nil
        ) {
            self.subject = subject
            self.client = client
            self.scope = scope
            self.authentication = authentication
            self.via = via
            self.parent = parent
            self.browserSession = browserSession
            self.openedAt = openedAt
            self.expiresAt = expiresAt
            self.idleMilliseconds = idleMilliseconds
            self.device = device
        }
    }

    /// The first refresh token of a family (event 702).
    package struct RefreshTokenIssue: Hashable, Sendable {
        package var client: ClientID
        package var family: UInt16
        package var scope: Scope
        package var secret: TokenDigest
        /// Whether each use replaces the token (`refresh_token_rotation`, WireContract 3.2).
        package var rotates: Bool
        package var dpopKey: Thumbprint?
        package var resources: [String]
        package var expiresAt: Instant

        package init(
            client: ClientID,
            family: UInt16,
            scope: Scope,
            secret: TokenDigest,
            rotates: Bool,
            dpopKey: Thumbprint? = nil,
            resources: [String] = [],
            expiresAt: Instant
        ) {
            self.client = client
            self.family = family
            self.scope = scope
            self.secret = secret
            self.rotates = rotates
            self.dpopKey = dpopKey
            self.resources = resources
            self.expiresAt = expiresAt
        }
    }

    /// An access token that went out (event 703).
    package struct AccessTokenIssue: Hashable, Sendable {
        /// What it was given for.
        package enum Via: String, Hashable, Sendable, CaseIterable {
            case code, app2app, biometric, `continue`
            case nativeSSO = "native_sso"
            case preAuthenticatedURL = "pre_authenticated_url"
        }

        package var token: TokenID
        package var client: ClientID
        package var scope: Scope
        package var via: Via
        /// The key it is bound to (`cnf.jkt`).
        package var dpopKey: Thumbprint?
        package var expiresAt: Instant

        package init(
            token: TokenID,
            client: ClientID,
            scope: Scope,
            via: Via,
            dpopKey: Thumbprint? = nil,
            expiresAt: Instant
        ) {
            self.token = token
            self.client = client
            self.scope = scope
            self.via = via
            self.dpopKey = dpopKey
            self.expiresAt = expiresAt
        }
    }

    /// A refresh request (WireContract 5.3).
    package struct Refresh: Hashable, Sendable {
        package var family: UInt16
        package var generation: UInt32
        package var presented: TokenDigest
        /// Digest of the token that replaces it, derived from the presented one.
        package var successor: TokenDigest
        package var client: ClientID
        package var dpopKey: Thumbprint?
        /// Narrower scope asked for, for this access token only.
        package var scope: Scope?
        /// What the client may still ask for.
        package var allowedScope: Scope
        /// As the client is configured now.
        package var rotates: Bool
        package var graceMilliseconds: Int64
        package var token: TokenID
        package var tokenExpiresAt: Instant
        /// The presented digest was found in the log although the fold no longer keeps it.
        package var proven: Bool
        package var at: Instant

        package init(
            family: UInt16,
            generation: UInt32,
            presented: TokenDigest,
            successor: TokenDigest,
            client: ClientID,
            dpopKey: Thumbprint? = nil,
            scope: Scope?,
            allowedScope: Scope,
            rotates: Bool,
            graceMilliseconds: Int64,
            token: TokenID,
            tokenExpiresAt: Instant,
            proven: Bool = false,
            at: Instant
        ) {
            self.family = family
            self.generation = generation
            self.presented = presented
            self.successor = successor
            self.client = client
            self.dpopKey = dpopKey
            self.scope = scope
            self.allowedScope = allowedScope
            self.rotates = rotates
            self.graceMilliseconds = graceMilliseconds
            self.token = token
            self.tokenExpiresAt = tokenExpiresAt
            self.proven = proven
            self.at = at
        }
    }

    /// A refresh that happened (event 704).
    package struct Refreshed: Hashable, Sendable {
        package var family: UInt16
        package var client: ClientID
        /// Of the token that is current from now on.
        package var generation: UInt32
        /// Digest of the successor; nil when the token did not change.
        package var secret: TokenDigest?
        package var token: TokenID
        package var scope: Scope
        /// Of the access token.
        package var expiresAt: Instant
        package var at: Instant

        package init(
            family: UInt16,
            client: ClientID,
            generation: UInt32,
            secret: TokenDigest?,
            token: TokenID,
            scope: Scope,
            expiresAt: Instant,
            at: Instant
        ) {
            self.family = family
            self.client = client
            self.generation = generation
            self.secret = secret
            self.token = token
            self.scope = scope
            self.expiresAt = expiresAt
            self.at = at
        }
    }

    /// The refresh tokens of one client in a session: one current, the rest spent.
    package struct Family: Hashable, Sendable {
        /// The reference to `issue`.
        package let sharedIssue: Shared<RefreshTokenIssue>
        package var generation: UInt32
        /// When the current token replaced its predecessor.
        package var rotatedAt: Instant
        /// The current token's and those of the ones before it.
        package var digests: RecentDigests
        /// Whether the current token came back without being replaced: at a refresh without
        /// rotation, or at an approval that names it (decision 0255).
        ///
        /// Then its predecessor is no retry any more, however fresh it is.
        package var currentUsed: Bool
        /// The newest token that can have let another app in by app2app (event 714); nil: none.
        package var approvedGeneration: UInt32?

        /// What it began with, which never changes.
        package var issue: RefreshTokenIssue { sharedIssue.value }

        package init(issue: RefreshTokenIssue, at: Instant) {
            sharedIssue = Shared(issue)
            generation = 1
            rotatedAt = at
            digests = RecentDigests(CollectionOfOne(issue.secret))
            currentUsed = false
            approvedGeneration = nil
        }
    }

    package struct RevokedToken: Hashable, Sendable {
        package var token: TokenID
        package var expiresAt: Instant

        package init(token: TokenID, expiresAt: Instant) {
            self.token = token
            self.expiresAt = expiresAt
        }
    }

    /// A refresh token shown, not replaced: the session goes on with it (WireContract 5.4).
    package struct Presentation: Hashable, Sendable {
        package var family: UInt16
        package var generation: UInt32
        package var presented: TokenDigest
        package var dpopKey: Thumbprint?
        package var graceMilliseconds: Int64
        /// As in `Refresh`.
        package var proven: Bool
        package var at: Instant

        package init(
            family: UInt16,
            generation: UInt32,
            presented: TokenDigest,
            dpopKey: Thumbprint?,
            graceMilliseconds: Int64,
            proven: Bool = false,
            at: Instant
        ) {
            self.family = family
            self.generation = generation
            self.presented = presented
            self.dpopKey = dpopKey
            self.graceMilliseconds = graceMilliseconds
            self.proven = proven
            self.at = at
        }
    }
}
