extension OfflineGrant {
    /// Commands about device secrets and the clients that share a session.
    package enum Sharing: Sendable {
        /// A first device secret, or the successor of the current one.
        case issueDeviceSecret(TokenDigest, key: Thumbprint?, at: Instant)
        /// One that was presented; the current one's coming back ends its predecessor.
        case presentDeviceSecret(TokenDigest, at: Instant)
        /// `guestsSince`: only clients that were let in from then on leave with it, also those that
        /// were there before; nil: all guests.
        case revokeDeviceSecret(TokenDigest, at: Instant, guestsSince: Instant? = nil)
        /// That the holder of another device secret is on the same device.
        case linkDevice(SessionID)
        /// Lets another client in, or the same one again.
        case join(Join, refreshToken: RefreshTokenIssue?, accessToken: AccessTokenIssue)
        case leave(ClientID, LeaveReason)
        /// The user takes back what they allowed a client: its part ends, or the session where no
        /// other client refreshes in it.
        case withdrawConsent(ClientID)
        /// `hint`: whose id token came with the device secret.
        case issueURL(URLIssued, hint: ClientID)
        /// A web access token for a client of a pre-authenticated URL.
        case mint(AccessTokenIssue, at: Instant)
    }

    static func share(_ command: Sharing, in session: Session) throws(Rejection) -> [Event] {
        switch command {
        case .issueDeviceSecret(let secret, let key, let now):
            return try issueDeviceSecret(secret, key, at: now, in: session)
        case .presentDeviceSecret(let secret, let now):
            return try present(secret, at: now, in: session)
        case .revokeDeviceSecret(let secret, let now, let start):
            return try revokeDeviceSecret(secret, at: now, guestsSince: start, in: session)
        case .linkDevice(let other):
            return session.linkedDevice == other ? [] : [.deviceLinked(other)]
        case .join(let request, let refreshToken, let accessToken):
            return try join(request, refreshToken, accessToken, in: session)
        case .leave(let client, let reason): return leave(client, reason, from: session)
        case .withdrawConsent(let client): return withdrawConsent(client, from: session)
        case .issueURL(let issued, let hint):
            return try issueURL(issued, hint: hint, in: session)
        case .mint(var accessToken, let now):
            guard session.isLive(at: now) else { throw .expired }
            guard session.known(accessToken.client) != nil else { throw .stranger }
            guard accessToken.scope.isSubset(of: session.opening.scope) else { throw .scope }
            accessToken.expiresAt = session.opening.clip(accessToken.expiresAt)
            return [.accessTokenIssued(accessToken)]
        }
    }
}
