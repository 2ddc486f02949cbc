extension OfflineGrant {
    package static func evolve(_ state: State, by event: Event) -> State? {
        if case (.opened(let opening), .absent) = (event, state) {
            return .open(Shared(Session(opening: opening)))
        }
        guard case .open(let shared) = state else { return nil }
        var session = shared.value
        switch event {
        case .opened: return nil
        case .refreshTokenIssued(let issue, let at):
            guard session.begin(issue, at: at) else { return nil }
        case .accessTokenIssued(let issue): session.note(issue)
        case .refreshed(let refreshed):
            guard session.apply(refreshed) else { return nil }
        case .retried(let family, let generation, _, let at):
            guard session.family(family)?.generation == generation else { return nil }
            session.lastUsedAt = at
        case .reuseDetected(let family, _, let generation):
            guard let reused = session.family(family), generation < reused.generation else {
                return nil
            }
        case .revoked(let reason): return .revoked(shared, reason)
        case .accessTokenRevoked(let token, _, let expiresAt):
            session.revokedTokens = session.revokedTokens(aliveWhenIssued: expiresAt)
            session.revokedTokens.append(RevokedToken(token: token, expiresAt: expiresAt))
        case .reauthenticated(let how, let at):
            session.authentication = how
            session.lastUsedAt = at
            session.isUsed = true
        case .deviceKeyBound(let key, _):
            guard session.deviceKey == nil else { return nil }
            session.deviceKey = key
        case .app2appApproved(let approval):
            session.isUsed = true
            guard session.noteApproval(approval) else { return nil }
        case .deviceSecretIssued(let issued):
            let former = session.deviceSecret
            guard issued.generation == (former?.generation ?? 0) &+ 1 else { return nil }
            let previous = former.flatMap { $0.isRevoked ? nil : $0.digest }
            session.deviceSecret = DeviceSecret(issued, after: previous)
        case .deviceSecretRevoked(let generation):
            guard session.deviceSecret?.generation == generation else { return nil }
            session.deviceSecret?.isRevoked = true
        case .deviceSecretUsed(let generation):
            guard session.use(deviceSecret: generation) else { return nil }
        case .deviceLinked(let other): session.linkedDevice = other
        case .clientJoined(let joined):
            guard session.apply(joined) else { return nil }
        case .clientLeft(let client, _):
            guard session.known(client) != nil else { return nil }
            session.dismiss(client)
        case .urlIssued(let issued): session.apply(issued)
        }
        return .open(Shared(session))
    }
}

extension OfflineGrant.Opening {
    /// Nothing outlives the session (Security I8); whole milliseconds, as stored.
    package func clip(_ instant: Instant) -> Instant {
        min(instant.wholeMilliseconds, expiresAt)
    }
}

extension OfflineGrant.Session {
    /// Whether neither its absolute nor its idle life is over.
    package func isLive(at now: Instant) -> Bool {
        let idle = sharedOpening.value.idleMilliseconds
        return now < sharedOpening.value.expiresAt
            && (idle == 0 || now < lastUsedAt.adding(milliseconds: idle))
    }

    /// The refresh tokens with this number; nil when there are none.
    package func family(_ number: UInt16) -> OfflineGrant.Family? {
        families.first { $0.sharedIssue.value.family == number }
    }

    /// Whether this access token was revoked alone.
    package func isRevoked(_ token: TokenID) -> Bool {
        revokedTokens.contains { $0.token == token }
    }

    /// The revoked tokens that may be alive on any node when a token that expires then is; a lower
    /// bound of the time suffices, since a fold has no clock.
    func revokedTokens(aliveWhenIssued expiresAt: Instant) -> [OfflineGrant.RevokedToken] {
        let issued = expiresAt.adding(seconds: -OfflineGrant.accessTokenSecondsMax)
        let now = max(lastUsedAt, issued)
            .adding(seconds: -OfflineGrant.revokedTokenMarginSeconds)
        return revokedTokens.filter { now < $0.expiresAt }
    }

    fileprivate mutating func begin(_ issue: OfflineGrant.RefreshTokenIssue, at: Instant) -> Bool {
        guard family(issue.family) == nil else { return false }
        familiesIssued = max(familiesIssued, issue.family)
        families.append(OfflineGrant.Family(issue: issue, at: at))
        retireFamilies(of: issue.client)
        return true
    }

    /// A client that comes again says no more than this, and it is use.
    fileprivate mutating func note(_ issue: OfflineGrant.AccessTokenIssue) {
        guard issue.via == .continue else { return }
        let bornAt = issue.token.bornAt
        lastUsedAt = max(lastUsedAt, bornAt)
        isUsed = true
        if let index = clients.firstIndex(where: { $0.client == issue.client }) {
            clients[index].admittedAt = max(clients[index].admittedAt, bornAt)
        }
    }

    fileprivate mutating func apply(_ joined: OfflineGrant.ClientJoined) -> Bool {
        if let known = known(joined.client), known.via != .preAuthenticatedURL { return false }
        admit(
            OfflineGrant.KnownClient(
                client: joined.client,
                via: joined.via,
                depth: joined.depth,
                since: joined.at
            )
        )
        lastUsedAt = joined.at
        isUsed = true
        return use(deviceSecret: joined.deviceSecret)
    }

    fileprivate mutating func apply(_ issued: OfflineGrant.URLIssued) {
        isUsed = true
        admit(
            OfflineGrant.KnownClient(
                client: issued.client,
                via: .preAuthenticatedURL,
                depth: issued.depth,
                since: issued.at
            )
        )
    }

    /// The current device secret came back: its predecessor is dead from now on.
    fileprivate mutating func use(deviceSecret generation: UInt32?) -> Bool {
        guard let generation else { return true }
        guard let current = deviceSecret?.generation, generation <= current else { return false }
        if generation == current { deviceSecret?.isUsed = true }
        return true
    }

    fileprivate mutating func apply(_ refreshed: OfflineGrant.Refreshed) -> Bool {
        guard
            let index = families.firstIndex(where: {
                $0.sharedIssue.value.family == refreshed.family
            })
        else { return false }
        lastUsedAt = refreshed.at
        isUsed = true
        guard let secret = refreshed.secret else {
            families[index].currentUsed = true
            return refreshed.generation == families[index].generation
        }
        let (next, overflow) = families[index].generation.addingReportingOverflow(1)
        guard !overflow, refreshed.generation == next else { return false }
        families[index].generation = next
        families[index].rotatedAt = refreshed.at
        families[index].currentUsed = false
        families[index].digests.append(secret)
        return true
    }
}
