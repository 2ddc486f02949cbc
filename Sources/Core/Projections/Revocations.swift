package import Domain

/// What ended while a token of it might still be accepted (Events 10.3).
package enum Revocations {
    /// A revocation is kept as long as any access token lives, and a minute for clocks.
    package static let keptSeconds: Int64 = OfflineGrant.accessTokenSecondsMax + 60

    /// What is dead.
    package enum Key: Hashable, Sendable, CustomStringConvertible {
        /// Every token of the session.
        case session(SessionID)
        /// Every token of one client of it, born before the row says.
        case client(SessionID, ClientID)
        /// One access token of it.
        case token(SessionID, TokenID)

        package var session: SessionID {
            switch self {
            case .session(let session), .client(let session, _), .token(let session, _): session
            }
        }

        package var token: TokenID? {
            switch self {
            case .session, .client: nil
            case .token(_, let token): token
            }
        }

        /// The key of the record and of the row: `<sid>`, `<sid>/c:<client>` or `<sid>/t:<jti>`.
        package var description: String {
            switch self {
            case .session(let session): session.description
            case .client(let session, let client): "\(session)/c:\(client.text)"
            case .token(let session, let token): "\(session)/t:\(token)"
            }
        }
    }

    /// A row, found by its key.
    package struct Revocation: Hashable, Sendable {
        package var key: Key
        package var project: ProjectNumber
        /// Whose tokens; nil: of every client of the session.
        package var client: ClientID?
        package var subject: SubjectID?
        package var revokedAt: Instant
        /// With a client: its tokens issued from then on are of another stay.
        package var issuedBefore: Instant?
        /// From then on every token it concerns has expired by itself.
        package var expiresAt: Instant
        /// A `RevocationReason` or `BrowserSession.EndReason`.
        package var reason: String
        package var logIndex: Int64?
        /// The number that the key had first, where a later row came in the place of others.
        package var firstLogIndex: Int64?

        init(_ key: Key, client: ClientID? = nil, reason: String, event: RecordedEvent) {
            self.key = key
            self.client = client
            self.reason = reason
            project = event.project
            subject = event.subject
            revokedAt = event.occurredAt
            expiresAt = event.occurredAt.adding(seconds: keptSeconds)
            logIndex = event.logIndex
        }

        /// This row in the place of `earlier`, of the same key: a client that left again.
        ///
        /// What died then stays dead: a stay that is replaced in the second in which one ended
        /// would else let tokens of that one pass again.
        package func replacing(_ earlier: Self) -> Self {
            guard let bound = earlier.issuedBefore, let own = issuedBefore else { return self }
            var row = self
            row.firstLogIndex = earlier.firstLogIndex ?? earlier.logIndex
            row.issuedBefore = max(own, bound)
            return row
        }
    }

    package enum Change: Hashable, Sendable {
        /// A session is never un-revoked: nothing takes a row back.
        case put(Revocation)
    }

    /// What `event` changes in it: nothing but that decides.
    ///
    /// Changes are upserts, so that a replay gives the same rows, and they never cause a side
    /// effect: mails and deliveries are made elsewhere, once.
    package static func changes(for event: RecordedEvent) -> [Change] {
        let session = SessionID(event.stream)
        switch event.body {
        case .offlineGrant(.revoked(let reason)):
            return [.put(Revocation(.session(session), reason: reason.rawValue, event: event))]
        case .offlineGrant(.accessTokenRevoked(let token, let client, _)):
            let reason = RevocationReason.tokenRevocation.rawValue
            let key = Key.token(session, token)
            return [.put(Revocation(key, client: client, reason: reason, event: event))]
        case .offlineGrant(.clientLeft(let client, let reason)):
            var row = Revocation(
                .client(session, client),
                client: client,
                reason: reason.rawValue,
                event: event
            )
            row.issuedBefore = issuedBefore(event.occurredAt, reason)
            return [.put(row)]
        case .browserSession(.ended(let reason)):
            return [.put(Revocation(.session(session), reason: reason.rawValue, event: event))]

        case .offlineGrant(.opened), .offlineGrant(.refreshTokenIssued),
            .offlineGrant(.accessTokenIssued), .offlineGrant(.refreshed), .offlineGrant(.retried),
            .offlineGrant(.reauthenticated), .offlineGrant(.deviceKeyBound),
            .offlineGrant(.app2appApproved), .offlineGrant(.deviceSecretIssued),
            .offlineGrant(.deviceSecretUsed),
            .offlineGrant(.deviceLinked), .offlineGrant(.clientJoined), .offlineGrant(.urlIssued):
            return []
        // Whom it brought in leaves in the same append.
        case .offlineGrant(.deviceSecretRevoked): return []
        // Always with a revocation of the session, or a client that leaves, in the same append.
        case .offlineGrant(.reuseDetected): return []
        case .browserSession(.opened), .browserSession(.cookieRotated),
            .browserSession(.reauthenticated), .browserSession(.seen),
            .browserSession(.clientJoined):
            return []
        // A subject that is disabled or erased: its sessions say so one by one.
        case .subject, .loginID, .loginLink, .authorization, .authorizationCode, .biometricKey,
            .preAuthenticatedURL, .consent, .spent, .signingKey, .projectConfig:
            return []
        }
    }

    /// Tokens tell the second of their birth.
    ///
    /// Where the client comes again in the same append
    /// its new ones must live, else its old ones must die.
    private static func issuedBefore(_ at: Instant, _ reason: OfflineGrant.LeaveReason) -> Instant {
        let second = Instant(seconds: at.seconds)
        let comesAgain = reason == .replaced || reason == .clientRemoved
        return comesAgain ? second : second.adding(seconds: 1)
    }
}
