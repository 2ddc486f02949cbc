extension OfflineGrant: Aggregate {
    package static var kind: AggregateKind { .offlineGrant }
    package static var initial: State { .absent }

    package static func decide(_ command: Command, in state: State) throws(Rejection) -> [Event] {
        switch (command, state) {
        case (.open(let opening, let refreshToken, let accessToken), .absent):
            return try open(opening, refreshToken: refreshToken, accessToken: accessToken)
        case (.open, .open), (.open, .revoked): throw .alreadyOpen

        case (.refresh(let request), .open(let shared)):
            return try refresh(request, in: shared.value, ended: false)
        case (.refresh(let request), .revoked(let shared, _)):
            return try refresh(request, in: shared.value, ended: true)

        case (
            .reauthenticate(let how, let client, let subject, let accessToken, let now),
            .open(let shared)
        ):
            guard client == shared.value.opening.client, shared.value.known(client) != nil else {
                throw .otherClient
            }
            guard subject == shared.value.opening.subject else { throw .otherSubject }
            guard shared.value.isLive(at: now) else { throw .expired }
            let issued = try issue(accessToken, within: shared.value.opening)
            return [.reauthenticated(how, at: now), issued]

        case (.share(let command), .open(let shared)):
            return try share(command, in: shared.value)
        case (.share(.leave), .revoked), (.share(.withdrawConsent), .revoked): return []

        case (.present(let presented), .open(let shared)):
            return try present(presented, in: shared.value, ended: false)
        case (.present(let presented), .revoked(let shared, _)):
            return try present(presented, in: shared.value, ended: true)

        case (.bindDeviceKey(let key, let insecure), .open(let shared)):
            return try bind(key, insecure: insecure, in: shared.value)
        case (.approveApp2App(let approval), .open(let shared)):
            return try approve(approval, in: shared.value)

        case (.revoke(let reason), .open): return [.revoked(reason)]
        case (.revoke, .revoked): return []

        case (.revokeAccessToken(let token, let client, let expiresAt), .open(let shared)):
            return try revoke(token, of: client, expiresAt: expiresAt, in: shared.value)
        case (.revokeAccessToken, .revoked): return []

        case (.refresh, .absent), (.present, .absent), (.reauthenticate, .absent),
            (.bindDeviceKey, .absent), (.approveApp2App, .absent), (.share, .absent),
            (.revoke, .absent), (.revokeAccessToken, .absent):
            throw .unknown
        case (.reauthenticate, .revoked), (.bindDeviceKey, .revoked), (.approveApp2App, .revoked),
            (.share, .revoked):
            throw .ended
        }
    }

    private static func open(
        _ opening: Opening,
        refreshToken: RefreshTokenIssue?,
        accessToken: AccessTokenIssue
    ) throws(Rejection) -> [Event] {
        var opening = opening
        opening.expiresAt = opening.expiresAt.wholeMilliseconds
        var events: [Event] = [.opened(opening)]
        if var refreshToken {
            guard refreshToken.client == opening.client else { throw .otherClient }
            guard refreshToken.scope.isSubset(of: opening.scope) else { throw .scope }
            refreshToken.expiresAt = opening.clip(refreshToken.expiresAt)
            events.append(.refreshTokenIssued(refreshToken, at: opening.openedAt))
        }
        events.append(try issue(accessToken, within: opening))
        return events
    }

    private static func issue(
        _ accessToken: AccessTokenIssue,
        within opening: Opening
    ) throws(Rejection) -> Event {
        var accessToken = accessToken
        guard accessToken.client == opening.client else { throw .otherClient }
        guard accessToken.scope.isSubset(of: opening.scope) else { throw .scope }
        accessToken.expiresAt = opening.clip(accessToken.expiresAt)
        return .accessTokenIssued(accessToken)
    }

    private static func revoke(
        _ token: TokenID,
        of client: ClientID,
        expiresAt: Instant,
        in session: Session
    ) throws(Rejection) -> [Event] {
        guard session.known(client) != nil else { throw .otherClient }
        guard !session.isRevoked(token) else { return [] }
        let expiresAt = expiresAt.wholeMilliseconds
        let event = Event.accessTokenRevoked(token, client: client, expiresAt: expiresAt)
        // A full list must not forget a token that is still alive: then the session goes, or the
        // client's part in it, which takes all its tokens along.
        let alive = session.revokedTokens(aliveWhenIssued: expiresAt)
        guard alive.count >= revokedTokensMax else { return [event] }
        return client == session.opening.client
            ? [event, .revoked(.tokenRevocation)] : [.clientLeft(client, .tokenRevocation)]
    }

    package static func wrap(_ event: Event) -> DomainEvent { .offlineGrant(event) }

    package static func unwrap(_ event: DomainEvent) -> Event? {
        guard case .offlineGrant(let own) = event else { return nil }
        return own
    }

    static func bind(
        _ key: DeviceKey,
        insecure: Bool,
        in session: Session
    ) throws(Rejection) -> [Event] {
        guard let bound = session.deviceKey else {
            return [.deviceKeyBound(key, insecure: insecure)]
        }
        guard bound == key else { throw .otherDeviceKey }
        return []
    }
}
