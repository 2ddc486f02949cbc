package import Domain

/// What an event itself says about its columns: a store checks it before it writes.
extension DomainEvent {
    /// The subject that must be in the column, for a reader to get the same event back.
    ///
    /// Nil: the event names none, and the column comes from the stream it stands in.
    package var subject: SubjectID? {
        switch self {
        case .loginID(.claimed(let subject, _, _)), .loginID(.released(let subject, _)): subject
        case .loginLink(.requested(let request)): request.subject
        case .authorization(.authenticated(let login)): login.subject
        case .browserSession(.opened(let session)): session.subject
        case .authorizationCode(.issued(let ticket)): ticket.subject
        case .offlineGrant(.opened(let opening)): opening.subject
        case .subject, .loginLink, .authorization, .browserSession, .authorizationCode,
            .offlineGrant, .biometricKey, .preAuthenticatedURL, .consent, .spent, .signingKey,
            .projectConfig:
            nil
        }
    }

    /// The time that `occurred_at` must be, for a reader to get the same event back.
    ///
    /// Nil: the event has none, and any time not before its predecessor's will do.
    package var occurredAt: Instant? {
        switch self {
        case .subject(.registered(_, _, _, let at)): at
        case .subject(.enabled(let at)): at
        case .loginLink(.requested(let request)): request.requestedAt
        case .loginLink(.resent(_, let at)): at
        case .authorization(.pushed(let request, _)), .authorization(.started(let request, _)):
            request.startedAt
        case .browserSession(.opened(let session)): session.openedAt
        case .browserSession(.reauthenticated(_, _, let at)), .browserSession(.seen(let at)): at
        case .authorizationCode(.redeemed(let redemption)): redemption.at
        case .offlineGrant(.opened(let opening)): opening.openedAt
        case .offlineGrant(.refreshTokenIssued(_, let at)): at
        case .offlineGrant(.refreshed(let refreshed)): refreshed.at
        case .offlineGrant(.retried(_, _, _, let at)): at
        case .offlineGrant(.reauthenticated(_, let at)): at
        case .offlineGrant(.deviceSecretIssued(let issued)): issued.at
        case .offlineGrant(.clientJoined(let joined)): joined.at
        case .offlineGrant(.urlIssued(let issued)): issued.at
        case .biometricKey(.enabled(let registration)): registration.enabledAt
        case .biometricKey(.used(_, _, let at)), .biometricKey(.verificationFailed(_, let at)): at
        case .signingKey(.staged(_, _, _, let at)), .signingKey(.retired(_, let at)): at
        case .projectConfig(.applied(_, _, let added, let cascaded)): added?.at ?? cascaded?.at
        case .subject, .loginID, .loginLink, .authorization, .browserSession,
            .authorizationCode, .offlineGrant, .biometricKey, .preAuthenticatedURL, .consent,
            .spent, .signingKey, .projectConfig:
            nil
        }
    }

    /// The client whose key belongs into the column; nil: the event names none.
    package var client: ClientID? {
        switch self {
        case .loginLink(.requested(let request)): request.client
        case .authorization(.pushed(let request, _)), .authorization(.started(let request, _)):
            request.client
        case .browserSession(.clientJoined(let joined)): joined.client
        case .authorizationCode(.issued(let ticket)): ticket.client
        case .offlineGrant(let event): event.client
        case .biometricKey(.enabled(let registration)): registration.client
        case .preAuthenticatedURL(.issued(let ticket)): ticket.client
        case .consent(.given(let client, _)), .consent(.withdrawn(let client, _)): client
        case .subject, .loginID, .loginLink, .authorization, .browserSession,
            .authorizationCode, .biometricKey, .preAuthenticatedURL, .spent, .signingKey,
            .projectConfig:
            nil
        }
    }
}

extension OfflineGrant.Event {
    fileprivate var client: ClientID? {
        switch self {
        case .opened(let opening): opening.client
        case .refreshTokenIssued(let issue, _): issue.client
        case .accessTokenIssued(let issue): issue.client
        case .refreshed(let refreshed): refreshed.client
        case .reuseDetected(_, let client, _), .accessTokenRevoked(_, let client, _): client
        case .clientJoined(let joined): joined.client
        case .clientLeft(let client, _): client
        case .urlIssued(let issued): issued.client
        case .retried, .revoked, .reauthenticated, .deviceKeyBound, .app2appApproved,
            .deviceSecretIssued, .deviceSecretUsed, .deviceSecretRevoked, .deviceLinked:
            nil
        }
    }
}
