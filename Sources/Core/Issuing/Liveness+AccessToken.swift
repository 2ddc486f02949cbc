internal import Domain
internal import OAuth

// What a holder hears of an access token with good signature (WireContract 9.1).
extension Liveness {
    /// Refuses unless the token counts in its session right now.
    ///
    /// - Throws: `unauthorized_client` in a suspended project; `invalid_token` while the client is
    ///   disabled or the key is not believed, and when the token was revoked alone;
    ///   `invalid_grant` when the session has ended, on which apps erase theirs;
    ///   `temporarily_unavailable` when the log did not answer.
    func requireLive(
        _ id: SessionID,
        by claims: AccessTokenClaims,
        in project: Project,
        at now: Instant,
        by deadline: Deadline
    ) async throws(OAuthError) {
        let standing: Standing
        do {
            standing = try await session(
                id,
                for: claims.client,
                in: project,
                signedBy: claims.key,
                at: now,
                by: deadline
            )
        } catch { throw OAuthError(error) }
        guard !standing.isSuspended else { throw .suspendedProject }
        guard let live = standing.live else {
            throw standing.isWaiting
                ? .invalidToken("of a disabled client or a lost key") : .sessionEnded
        }
        if let refusal = live.value.refusal(of: claims.token, claims.client) { throw refusal }
    }
}

extension Work {
    /// The session of an access token, in the order of WireContract 5.5; guards it with all that
    /// `client` has in it rests on.
    ///
    /// `stranger`: what is said of a token of another client.
    mutating func liveSession(
        _ id: SessionID,
        by claims: AccessTokenClaims,
        of client: ClientID,
        stranger: OAuthError
    ) async throws(CommandError<OAuthError>) -> OfflineGrant.Session {
        let grant = try await loading(OfflineGrant.self, id.stream)
        guard let session = grant.state.openSession, session.isLive(at: now) else {
            throw .refused(.sessionEnded)
        }
        // After that it has ended: apps erase theirs on that.
        guard claims.client == client else { throw .refused(stranger) }
        if let refusal = session.refusal(of: claims.token, client) { throw .refused(refusal) }
        require(grant)
        try await requireAlive(session, of: client, refused: .sessionEnded)
        return session
    }
}

extension OfflineGrant.Session {
    /// Why a good access token of `client` does not count in this session; nil: it counts.
    ///
    /// For a client whose part has ended, the session has ended (WireContract 9.1).
    fileprivate func refusal(of token: TokenID, _ client: ClientID) -> OAuthError? {
        guard !accepts(token, of: client) else { return nil }
        return known(client) == nil ? .sessionEnded : .invalidToken("revoked alone")
    }
}
