package import Domain

/// Every session there was, until the log has dropped its events (Events 11).
///
/// Nobody is shown it yet: lists, of users and of operators, are read from the log, which is exact.
package enum RecordedSessions {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case offlineGrant = "offline_grant"
        case browserSession = "browser_session"
    }

    /// A new row, found by its `session`.
    package struct Session: Hashable, Sendable {
        package var session: SessionID
        package var kind: Kind
        package var version: Int32
        package var project: ProjectNumber
        package var subject: SubjectID
        /// Absent for a browser-session: clients join it.
        package var client: ClientID?
        package var openedAt: Instant
        package var expiresAt: Instant
        package var parent: Parent

        init(
            _ kind: Kind,
            subject: SubjectID,
            client: ClientID? = nil,
            expiresAt: Instant,
            parent: Parent,
            event: RecordedEvent
        ) {
            session = SessionID(event.stream)
            version = event.version
            project = event.project
            openedAt = event.occurredAt
            self.kind = kind
            self.subject = subject
            self.client = client
            self.expiresAt = expiresAt
            self.parent = parent
        }
    }

    /// Every event of a session changes its row, if only its version: so a gap is seen.
    package enum Change: Hashable, Sendable {
        case open(Session)
        case see(SessionID, version: Int32, at: Instant)
        /// `reason`: a `RevocationReason` or `BrowserSession.EndReason`.
        case end(SessionID, version: Int32, at: Instant, reason: String)
        case advance(SessionID, version: Int32)
    }

    /// What `event` changes in it: nothing but that decides.
    ///
    /// Changes are upserts, so that a replay gives the same rows, and they never cause a side
    /// effect: mails and deliveries are made elsewhere, once.
    package static func changes(for event: RecordedEvent) -> [Change] {
        switch event.body {
        case .offlineGrant(let grant): [change(for: grant, in: event)]
        case .browserSession(let session): [change(for: session, in: event)]
        case .subject, .loginID, .loginLink, .authorization, .authorizationCode, .biometricKey,
            .preAuthenticatedURL, .consent, .spent, .signingKey, .projectConfig:
            []
        }
    }

    private static func change(
        for grant: OfflineGrant.Event,
        in event: RecordedEvent
    ) -> Change {
        switch grant {
        case .opened(let opening):
            .open(
                Session(
                    .offlineGrant,
                    subject: opening.subject,
                    client: opening.client,
                    expiresAt: opening.expiresAt,
                    parent: opening.parent,
                    event: event
                )
            )
        case .refreshed, .retried, .reauthenticated, .clientJoined: seen(event)
        case .accessTokenIssued(let issue) where issue.via == .continue: seen(event)
        case .revoked(let reason): ended(event, reason.rawValue)
        case .refreshTokenIssued, .accessTokenIssued, .reuseDetected, .accessTokenRevoked,
            .deviceKeyBound, .app2appApproved, .deviceSecretIssued, .deviceSecretUsed,
            .deviceSecretRevoked,
            .deviceLinked, .clientLeft, .urlIssued:
            advanced(event)
        }
    }

    private static func change(
        for session: BrowserSession.Event,
        in event: RecordedEvent
    ) -> Change {
        switch session {
        case .opened(let session):
            .open(
                Session(
                    .browserSession,
                    subject: session.subject,
                    expiresAt: session.expiresAt,
                    parent: session.parent,
                    event: event
                )
            )
        case .reauthenticated, .seen: seen(event)
        case .ended(let reason): ended(event, reason.rawValue)
        case .cookieRotated, .clientJoined: advanced(event)
        }
    }

    private static func seen(_ event: RecordedEvent) -> Change {
        .see(SessionID(event.stream), version: event.version, at: event.occurredAt)
    }

    private static func ended(_ event: RecordedEvent, _ reason: String) -> Change {
        .end(
            SessionID(event.stream),
            version: event.version,
            at: event.occurredAt,
            reason: reason
        )
    }

    private static func advanced(_ event: RecordedEvent) -> Change {
        .advance(SessionID(event.stream), version: event.version)
    }
}
