extension OfflineGrant {
    /// Clients known in one session at a time, the first included (WireContract 5.6 step 8).
    package static let clientsMax = 16

    /// How far from the first client another may be: who joins by an id token of a client of
    /// depth n has depth n + 1.
    package static let depthMax: UInt8 = 4

    /// Families of one client; the oldest goes for one more.
    ///
    /// A page that asks silently each time it is loaded begins one each time.
    package static let familiesPerClientMax = 8

    /// How a client came into the session.
    package enum ClientVia: String, Hashable, Sendable, CaseIterable {
        /// It opened the session.
        case opening
        /// By the device secret and an id token of the session (WireContract 5.6).
        case nativeSSO = "native_sso"
        /// By the continue screen of a pre-authenticated browser (WireContract 4.3).
        case `continue`
        /// Web tokens only, no family (WireContract 5.7).
        case preAuthenticatedURL = "pre_authenticated_url"
    }

    /// A client that holds tokens of the session.
    package struct KnownClient: Hashable, Sendable {
        package var client: ClientID
        package var via: ClientVia
        package var depth: UInt8
        /// Its tokens of an earlier stay are dead: those born before this millisecond.
        package var since: Instant
        /// When it was let in last: it may come again within its stay.
        package var admittedAt: Instant

        package init(client: ClientID, via: ClientVia, depth: UInt8, since: Instant) {
            self.client = client
            self.via = via
            self.depth = depth
            self.since = since.wholeMilliseconds
            admittedAt = self.since
        }
    }

    /// That a client came into the session (event 709).
    package struct ClientJoined: Hashable, Sendable {
        package var client: ClientID
        package var scope: Scope
        package var via: ClientVia
        package var depth: UInt8
        package var parent: Parent
        /// Generation of the device secret it presented.
        package var deviceSecret: UInt32?
        package var at: Instant

        package init(
            client: ClientID,
            scope: Scope,
            via: ClientVia,
            depth: UInt8,
            parent: Parent,
            deviceSecret: UInt32? = nil,
            at: Instant
        ) {
            self.client = client
            self.scope = scope
            self.via = via
            self.depth = depth
            self.parent = parent
            self.deviceSecret = deviceSecret
            self.at = at
        }
    }

    /// Why a client's part of a session ended before the session (event 710).
    package enum LeaveReason: String, Hashable, Sendable, CaseIterable {
        case tokenRevocation = "token_revocation"
        case reuse, replaced, logout
        case consentWithdrawn = "consent_withdrawn"
        case clientRemoved = "client_removed"
        case `operator`
    }

    /// How a client asks to be let in.
    package enum Invitation: Hashable, Sendable {
        /// The device secret, and whose id token came with it; `isShared`: the settings let the
        /// caller share sessions of the first client.
        case nativeSSO(secret: TokenDigest, invitedBy: ClientID, isShared: Bool)
        /// A code of a login that continues the session, by a view of it that was made at `since`;
        /// codes of before this was kept say nothing of it.
        case `continue`(of: ClientID, since: Instant?)
    }

    /// A request to join (WireContract 5.6 and 4.3).
    package struct Join: Hashable, Sendable {
        package var client: ClientID
        package var invitation: Invitation
        package var parent: Parent
        package var scope: Scope
        package var at: Instant

        package init(
            client: ClientID,
            invitation: Invitation,
            parent: Parent,
            scope: Scope,
            at: Instant
        ) {
            self.client = client
            self.invitation = invitation
            self.parent = parent
            self.scope = scope
            self.at = at
        }
    }

    /// The order of lines is the order of WireContract 5.6, steps 4 to 8.
    static func join(
        _ join: Join,
        _ refreshToken: RefreshTokenIssue?,
        _ accessToken: AccessTokenIssue,
        in session: Session
    ) throws(Rejection) -> [Event] {
        guard session.isLive(at: join.at) else { throw .expired }
        let (via, host, deviceSecret) = try admit(join, to: session)
        guard join.scope.isSubset(of: session.opening.scope) else { throw .scope }
        let joined = ClientJoined(
            client: join.client,
            scope: join.scope,
            via: via,
            depth: try session.depth(of: join.client, below: host),
            parent: join.parent,
            deviceSecret: deviceSecret,
            at: join.at
        )
        try session.requireRoom(for: join.client)
        let isHere = session.known(join.client).map { $0.via != .preAuthenticatedURL } ?? false
        var events: [Event] = []
        // Its stay goes on: another tab of it, and its web token, are not to end.
        if !isHere || via != .continue {
            if isHere { events.append(.clientLeft(join.client, .replaced)) }
            events.append(.clientJoined(joined))
        }
        if var refreshToken {
            guard refreshToken.client == join.client, refreshToken.family == session.nextFamily
            else { throw .otherClient }
            guard refreshToken.scope.isSubset(of: join.scope) else { throw .scope }
            refreshToken.expiresAt = session.opening.clip(refreshToken.expiresAt)
            events.append(.refreshTokenIssued(refreshToken, at: join.at))
        }
        guard accessToken.client == join.client, accessToken.scope.isSubset(of: join.scope) else {
            throw .scope
        }
        var accessToken = accessToken
        accessToken.expiresAt = session.opening.clip(accessToken.expiresAt)
        return events + [.accessTokenIssued(accessToken)]
    }

    /// Whose invitation it is, and by which generation of the device secret.
    private static func admit(_ join: Join, to session: Session)
        throws(Rejection) -> (via: ClientVia, host: ClientID, deviceSecret: UInt32?)
    {
        switch join.invitation {
        case .nativeSSO(let secret, let host, let isShared):
            guard let standing = session.deviceSecret?.standing(of: secret, at: join.at) else {
                throw .wrongSecret
            }
            guard isShared, session.known(host) != nil else { throw .stranger }
            // The id token of a site is its app's: of one that was thrown out it invites nobody.
            guard
                session.known(session.opening.client)?.via == .opening
                    || session.isOnDevice(host)
            else { throw .stranger }
            // It has what it would get, and bound to the key of its login; or it was put out.
            guard join.client != session.opening.client else { throw .stranger }
            return (.nativeSSO, host, session.deviceSecret?.generation(standing))
        case .continue(let host, let since):
            // Of this stay of the host, not of one that is over.
            guard let known = session.known(host), since.map({ $0 >= known.since }) ?? true,
                session.known(join.client)?.via != .opening
            else { throw .stranger }
            return (.continue, host, nil)
        }
    }

    /// `[]` for a client that is not in the session.
    static func leave(_ client: ClientID, _ reason: LeaveReason, from session: Session) -> [Event] {
        session.known(client) == nil ? [] : [.clientLeft(client, reason)]
    }

    /// `[]` for a client that is not in the session; the session goes on for its other clients.
    static func withdrawConsent(_ client: ClientID, from session: Session) -> [Event] {
        guard session.known(client) != nil else { return [] }
        return session.isShared(beside: client)
            ? [.clientLeft(client, .consentWithdrawn)] : [.revoked(.consentWithdrawn)]
    }
}

extension OfflineGrant.Session {
    /// What is known of a client that holds tokens of the session; nil for all others.
    package func known(_ client: ClientID) -> OfflineGrant.KnownClient? {
        clients.first { $0.client == client }
    }

    /// Whether the client is an app on the session's device.
    ///
    /// It opened the session or joined by the device secret. A browser that was let in is another
    /// place (decision 0053).
    package func isOnDevice(_ client: ClientID) -> Bool {
        switch known(client)?.via {
        case .opening, .nativeSSO: true
        case .continue, .preAuthenticatedURL, nil: false
        }
    }

    /// Whether an access token of this client, with a good signature, still counts.
    package func accepts(_ token: TokenID, of client: ClientID) -> Bool {
        guard !isRevoked(token), let known = known(client) else { return false }
        return token.bornAt >= known.since
    }

    /// The number of the next client's refresh tokens; no number comes twice.
    package var nextFamily: UInt16 { familiesIssued == .max ? .max : familiesIssued + 1 }

    /// Whether another client than `client` refreshes in this session.
    func isShared(beside client: ClientID) -> Bool {
        clients.contains { $0.client != client && $0.via != .preAuthenticatedURL }
    }

    /// Who comes again is no further away than before, by whose id token it may be.
    func depth(of client: ClientID, below host: ClientID)
        throws(OfflineGrant.Rejection) -> UInt8
    {
        let before = known(client)?.depth ?? .max
        guard let depth = known(host)?.depth, min(before, depth + 1) <= OfflineGrant.depthMax
        else { throw .tooMany }
        return min(before, depth + 1)
    }

    func requireRoom(for client: ClientID) throws(OfflineGrant.Rejection) {
        guard known(client) != nil || clients.count < OfflineGrant.clientsMax else {
            throw .tooMany
        }
        guard familiesIssued < .max else { throw .tooMany }
    }

    /// A client comes in, or is known by more than before.
    mutating func admit(_ known: OfflineGrant.KnownClient) {
        // Most come in no further away than others were: then nothing is made anew.
        if known.depth > furthest { furthest = known.depth }
        guard let index = clients.firstIndex(where: { $0.client == known.client }) else {
            clients.append(known)
            return
        }
        clients[index].depth = max(clients[index].depth, known.depth)
        if clients[index].via == .preAuthenticatedURL { clients[index].via = known.via }
        clients[index].admittedAt = max(clients[index].admittedAt, known.admittedAt)
    }

    /// Its oldest families go while it has too many.
    mutating func retireFamilies(of client: ClientID) {
        let count = families.count { $0.issue.client == client }
        for _ in OfflineGrant.familiesPerClientMax..<max(count, OfflineGrant.familiesPerClientMax) {
            guard let oldest = families.firstIndex(where: { $0.issue.client == client }) else {
                return
            }
            families.remove(at: oldest)
        }
    }

    /// Its families go: their tokens are then as ones that never were.
    mutating func dismiss(_ client: ClientID) {
        clients.removeAll { $0.client == client }
        families.removeAll { $0.issue.client == client }
    }
}
