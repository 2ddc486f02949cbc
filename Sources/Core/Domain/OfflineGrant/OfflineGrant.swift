/// A session of one user in an app, and its refresh-token family (Events 8.7).
///
/// Its stream id is the `sid` of its tokens. Without `offline_access` it holds no family and ends
/// with its access token.
package enum OfflineGrant {
    package enum State: Hashable, Sendable {
        case absent
        case open(Shared<Session>)
        /// Final.
        case revoked(Shared<Session>, RevocationReason)
    }

    package enum Command: Sendable {
        case open(Opening, refreshToken: RefreshTokenIssue?, accessToken: AccessTokenIssue)
        case refresh(Refresh)
        /// A fresh login of the same subject through this session (WireContract 4.5).
        case reauthenticate(
            Authentication,
            by: ClientID,
            subject: SubjectID,
            accessToken: AccessTokenIssue,
            at: Instant
        )
        /// The session's one device key; the same one again is nothing new.
        case bindDeviceKey(DeviceKey, insecure: Bool)
        /// Asks whether a refresh token is good, without replacing it (WireContract 5.4).
        case present(Presentation)
        case approveApp2App(App2AppApproval)
        case share(Sharing)
        case revoke(RevocationReason)
        case revokeAccessToken(TokenID, by: ClientID, expiresAt: Instant)
    }

    package enum Event: Hashable, Sendable {
        case opened(Opening)
        case refreshTokenIssued(RefreshTokenIssue, at: Instant)
        case accessTokenIssued(AccessTokenIssue)
        case refreshed(Refreshed)
        /// `generation` is of the token given again: the family's current one.
        case retried(family: UInt16, generation: UInt32, token: TokenID, at: Instant)
        case reuseDetected(family: UInt16, client: ClientID, presentedGeneration: UInt32)
        case revoked(RevocationReason)
        case accessTokenRevoked(TokenID, client: ClientID, expiresAt: Instant)
        case reauthenticated(Authentication, at: Instant)
        /// `insecure`: long after the login, on the word of a refresh token alone.
        case deviceKeyBound(DeviceKey, insecure: Bool)
        case app2appApproved(App2AppApproval)
        case deviceSecretIssued(DeviceSecretIssued)
        /// Written only while it ends a predecessor.
        case deviceSecretUsed(generation: UInt32)
        case deviceSecretRevoked(generation: UInt32)
        case deviceLinked(SessionID)
        case clientJoined(ClientJoined)
        case clientLeft(ClientID, LeaveReason)
        case urlIssued(URLIssued)
    }

    package enum Rejection: Error {
        case alreadyOpen, unknown, otherClient, otherSubject, otherKey
        case expired, ended
        /// Another device key is bound.
        case otherDeviceKey
        /// No device secret of the session, or no more.
        case wrongSecret
        /// The inviting client is not in the session, or the two may not share it.
        case stranger
        /// Too many clients, or too far from the first one.
        case tooMany
        /// The scope asked for is not within the family's.
        case scope
        /// Older than the digests kept: prove it against its event, then say so (`proven`).
        case proofNeeded(family: UInt16, generation: UInt32)
    }

    /// Digests kept per family in the fold; older generations are proven against their event.
    package static let digestsKeptMax = 256

    /// Codes that let other apps in which the fold keeps; of more, only the log knows all.
    package static let approvedCodesMax = 32

    /// Access tokens of a session that are revoked alone; one more ends the session.
    package static let revokedTokensMax = 64

    /// No access token lives longer (WireContract 3.2, `access_token_lifetime_seconds`).
    package static let accessTokenSecondsMax: Int64 = 3600

    /// How long a revoked token is remembered beyond its life: whose clock is ahead must not make
    /// the others forget it while it passes by theirs (Security I4).
    ///
    /// Clocks that are further off than seconds decide nothing. A client that revokes each token
    /// it refreshes away from must never fill the list.
    package static let revokedTokenMarginSeconds: Int64 = 300
}
