extension OfflineGrant {
    /// The order of lines is the order of WireContract 5.3.
    static func refresh(
        _ request: Refresh,
        in session: Session,
        ended: Bool
    ) throws(Rejection) -> [Event] {
        let family = try admit(request.presentation, of: request.client, in: session, ended: ended)
        let issue = family.sharedIssue
        let scope = request.scope ?? issue.value.scope
        guard scope.isSubset(of: issue.value.scope),
            issue.value.scope.isSubset(of: request.allowedScope)
        else { throw .scope }

        if request.generation == family.generation {
            return [.refreshed(try renew(family, scope: scope, for: request, in: session))]
        }
        return try retry(family, for: request, in: session)
    }

    /// `[]` for a token that a refresh would take now; reuse ends the session here, too.
    static func present(
        _ presented: Presentation,
        in session: Session,
        ended: Bool
    ) throws(Rejection) -> [Event] {
        let family = try admit(presented, in: session, ended: ended)
        guard presented.generation != family.generation, !isRetry(presented, of: family) else {
            return []
        }
        return reuse(of: presented.generation, of: family, in: session)
    }

    /// The family of a token that is proven, by whom it is bound to, in a session that lives.
    private static func admit(
        _ presented: Presentation,
        of client: ClientID? = nil,
        in session: Session,
        ended: Bool
    ) throws(Rejection) -> Family {
        guard let family = session.family(presented.family) else { throw .unknown }
        try prove(presented, of: family)
        let issue = family.sharedIssue
        // Client and key before state and reuse: otherwise client B ends client A's session by
        // replaying a token it found.
        if let client, client != issue.value.client { throw .otherClient }
        if let key = issue.value.dpopKey, key != presented.dpopKey { throw .otherKey }
        guard !ended else { throw .ended }
        guard session.isLive(at: presented.at), presented.at < issue.value.expiresAt else {
            throw .expired
        }
        return family
    }

    /// The presented digest must be one that an event of this family records at that generation.
    private static func prove(
        _ request: Presentation,
        of family: Family
    ) throws(Rejection) {
        guard 1...family.generation ~= request.generation else { throw .unknown }
        let age = Int(family.generation - request.generation)
        guard let recorded = family.digests.digest(ofAge: age) else {
            guard request.proven else {
                throw .proofNeeded(family: request.family, generation: request.generation)
            }
            return
        }
        guard recorded == request.presented else { throw .unknown }
    }

    private static func renew(
        _ family: Family,
        scope: Scope,
        for request: Refresh,
        in session: Session
    ) throws(Rejection) -> Refreshed {
        guard family.generation < .max else { throw .ended }
        return Refreshed(
            family: request.family,
            client: request.client,
            generation: request.rotates ? family.generation + 1 : family.generation,
            secret: request.rotates ? request.successor : nil,
            token: request.token,
            scope: scope,
            expiresAt: session.sharedOpening.value.clip(request.tokenExpiresAt),
            at: request.at
        )
    }

    /// The token before the current one is a lost answer if its successor is young and unused.
    private static func retry(
        _ family: Family,
        for request: Refresh,
        in session: Session
    ) throws(Rejection) -> [Event] {
        guard isRetry(request.presentation, of: family) else {
            return reuse(of: request.generation, of: family, in: session)
        }
        // Derived with another root secret: it could not be handed out again.
        guard request.successor == family.digests.last else { throw .unknown }
        return [
            .retried(
                family: request.family,
                generation: family.generation,
                token: request.token,
                at: request.at
            )
        ]
    }

    private static func isRetry(_ request: Presentation, of family: Family) -> Bool {
        let graceEnds = family.rotatedAt.adding(milliseconds: request.graceMilliseconds)
        return request.generation + 1 == family.generation && !family.currentUsed
            && request.at < graceEnds
    }

    /// The command succeeds, the request fails; the session goes on for those of its clients that
    /// a thief cannot have let in, and without a device secret that was handed to one (decision
    /// 0194): only an app on the session's device is given one.
    ///
    /// It ends where the thief may have let an app in by app2app: that one has a session of its
    /// own, which ends with this one (decision 0208).
    private static func reuse(of generation: UInt32, of family: Family, in session: Session)
        -> [Event]
    {
        let client = family.issue.client
        let detected = Event.reuseDetected(
            family: family.issue.family,
            client: client,
            presentedGeneration: generation
        )
        // When the token was replaced is kept of the last one alone.
        let replaced =
            generation + 1 == family.generation
            ? family.rotatedAt.wholeMilliseconds : session.known(client)?.since
        let letsIn =
            session.isOnDevice(client) && family.issue.scope.contains("device_sso")
        let gone = session.clients.filter { guest in
            guest.client == client
                || letsIn && guest.via != .opening
                    && replaced.map { guest.admittedAt >= $0 } ?? true
        }
        let stays = session.clients.contains { other in
            other.via != .preAuthenticatedURL && !gone.contains { $0.client == other.client }
        }
        let approves = family.approvedGeneration.map { $0 >= generation } ?? false
        guard stays, !approves else { return [detected, .revoked(.reuse)] }
        var events = [detected]
        if letsIn, let secret = session.deviceSecret, !secret.isRevoked,
            replaced.map(secret.mayBeHandedOut) ?? true
        {
            events.append(.deviceSecretRevoked(generation: secret.generation))
        }
        return events + gone.map { .clientLeft($0.client, .reuse) }
    }
}

extension OfflineGrant.Refresh {
    fileprivate var presentation: OfflineGrant.Presentation {
        OfflineGrant.Presentation(
            family: family,
            generation: generation,
            presented: presented,
            dpopKey: dpopKey,
            graceMilliseconds: graceMilliseconds,
            proven: proven,
            at: at
        )
    }
}
