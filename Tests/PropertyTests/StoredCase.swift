import Domain
import EventFormat
import TestSupport

/// Any event whatever, with the columns it would be stored with.
struct StoredCase: Sendable {
    var event: DomainEvent
    var columns: StoredColumns

    static let any = Generator<StoredCase> { choices in
        let columns = StoredColumns(
            occurredAt: choices.instant(),
            subject: choices.subject(),
            session: choices.session()
        )
        let event = choices.event(subject: columns.subject, at: columns.occurredAt)
        return StoredCase(event: event, columns: columns)
    }
}

extension Choices {
    mutating func event(subject: SubjectID?, at: Instant) -> DomainEvent {
        let owner = subject ?? Sample.subject(0)
        switch any(AggregateKind.self) {
        case .subject: return .subject(subjectEvent(at: at))
        case .loginID: return .loginID(loginIDEvent())
        case .loginLink: return .loginLink(loginLinkEvent(subject: subject, at: at))
        case .authorization: return .authorization(authorizationEvent(subject: owner, at: at))
        case .browserSession: return .browserSession(browserSessionEvent(subject: owner, at: at))
        case .authorizationCode: return .authorizationCode(codeEvent(subject: owner, at: at))
        case .offlineGrant: return .offlineGrant(grantEvent(subject: owner, at: at))
        case .biometricKey: return .biometricKey(biometricEvent(subject: owner, at: at))
        case .preAuthenticatedURL: return .preAuthenticatedURL(urlEvent())
        case .consent: return .consent(consentEvent())
        case .spent: return .spent(.spent(any(Spent.Purpose.self), expiresAt: wholeInstant()))
        case .signingKey: return .signingKey(keyEvent(at: at))
        case .projectConfig: return .projectConfig(configEvent(at: at))
        }
    }

    mutating func subjectEvent(at: Instant) -> Subject.Event {
        switch draw(below: 4) {
        case 0:
            .registered(
                source: any(Subject.Source.self),
                email: sealed(),
                emailVerified: bool(),
                at: at
            )
        case 1: .disabled(any(Subject.DisableReason.self))
        case 2: .enabled(at: at)
        default: .erased
        }
    }

    mutating func loginIDEvent() -> LoginID.Event {
        bool()
            ? .claimed(by: subject(), kind: any(LoginID.Kind.self), value: sealed())
            : .released(by: subject(), any(LoginID.ReleaseReason.self))
    }

    mutating func loginLinkEvent(subject: SubjectID?, at: Instant) -> LoginLink.Event {
        switch draw(below: 8) {
        case 0: .requested(request(subject: bool() ? subject : nil, at: at))
        case 1: .resent(generation: one(of: [2, 3, 1, .max, .min]), at: at)
        case 2: .mailSent(generation: integer(1...3), attempt: integer(1...5))
        case 3:
            .mailFailed(
                generation: integer(1...3),
                attempt: integer(1...5),
                code: integer(400...599),
                final: bool()
            )
        case 4:
            .approved(
                by: any(LoginLink.Approver.self),
                sameDevice: bool(),
                generation: integer(1...3)
            )
        case 5: .denied(any(LoginLink.DenyReason.self))
        case 6: .superseded(by: stream())
        default: .consumed(authorization: stream())
        }
    }

    mutating func authorizationEvent(subject: SubjectID, at: Instant) -> Authorization.Event {
        switch draw(below: 6) {
        case 0: .started(authorizationRequest(at: at), browser: digest())
        case 4: .pushed(authorizationRequest(at: at), secret: digest())
        case 1: .loginRequested(stream())
        case 2: .authenticated(login(subject: subject))
        case 3: .completed(code: maybe { $0.stream() }, scope: scope())
        default: .failed(any(Authorization.Failure.self))
        }
    }

    mutating func login(subject: SubjectID) -> Authorization.Login {
        Authorization.Login(
            subject: subject,
            browserSession: maybe { $0.session() },
            continuation: maybe { $0.continuation() },
            via: any(Authorization.Via.self),
            authentication: authentication()
        )
    }

    mutating func browserSessionEvent(subject: SubjectID, at: Instant) -> BrowserSession.Event {
        switch draw(below: 6) {
        case 0: .opened(browserSession(subject: subject, at: at))
        case 1: .cookieRotated(digest(), any(BrowserSession.RotationReason.self))
        case 2: .reauthenticated(authentication(), cookie: digest(), at: at)
        case 3: .seen(at: at)
        case 4: .clientJoined(BrowserSession.Joined(client: client(), grant: session()))
        default: .ended(any(BrowserSession.EndReason.self))
        }
    }

    mutating func codeEvent(subject: SubjectID, at: Instant) -> AuthorizationCode.Event {
        switch draw(below: 3) {
        case 0: .issued(ticket(subject: subject))
        case 1:
            .redeemed(
                AuthorizationCode.Redemption(
                    grant: session(),
                    family: bool() ? integer(0...99) : nil,
                    at: at
                )
            )
        default: .replayed(afterMilliseconds: integer(0...99_999), revoked: bool())
        }
    }

    mutating func grantEvent(subject: SubjectID, at: Instant) -> OfflineGrant.Event {
        switch draw(below: 18) {
        case 0: .opened(opening(subject: subject, at: at))
        case 1: .refreshTokenIssued(refreshToken(), at: at)
        case 2: .accessTokenIssued(accessToken())
        case 3: .refreshed(refreshed(at: at))
        case 4:
            .retried(family: integer(0...2), generation: integer(0...3), token: token(), at: at)
        case 5:
            .reuseDetected(
                family: integer(0...2),
                client: client(),
                presentedGeneration: one(of: [1, 2, 0, .max])
            )
        case 6: .revoked(any(RevocationReason.self))
        case 7: .accessTokenRevoked(token(), client: client(), expiresAt: wholeInstant())
        case 8: .deviceKeyBound(deviceKey(), insecure: bool())
        case 9: .app2appApproved(app2appApproval())
        case 10: .deviceSecretIssued(deviceSecret(at: at))
        case 11: .deviceSecretRevoked(generation: integer(0...2))
        case 12: .deviceLinked(session())
        case 13: .clientJoined(clientJoined(at: at))
        case 14: .clientLeft(client(), any(OfflineGrant.LeaveReason.self))
        case 15: .deviceSecretUsed(generation: integer(0...2))
        case 16: .urlIssued(urlIssued(at: at))
        default: .reauthenticated(authentication(), at: at)
        }
    }

    mutating func biometricEvent(subject: SubjectID, at: Instant) -> BiometricKey.Event {
        switch draw(below: 5) {
        case 0: .enabled(registration(subject: subject, at: at))
        case 1: .used(any(BiometricKey.Action.self), session: session(), at: at)
        case 2: .verificationFailed(count: integer(1...10), at: at)
        case 3: .disabled(any(BiometricKey.DisableReason.self))
        default: .materialClaimed(kid: kid())
        }
    }

    mutating func registration(subject: SubjectID, at: Instant) -> BiometricKey.Registration {
        BiometricKey.Registration(
            subject: subject,
            client: client(),
            kid: kid(),
            key: deviceKey(),
            algorithm: one(of: ["ES256", "RS256"]),
            device: maybe { $0.sealed() },
            mail: maybe { $0.stream() },
            approval: maybe { $0.any(LoginLink.Approval.self) },
            enabledAt: at
        )
    }

    mutating func app2appApproval() -> OfflineGrant.App2AppApproval {
        OfflineGrant.App2AppApproval(
            code: stream(),
            target: client(),
            insecure: bool(),
            biometric: bool(),
            shown: maybe { $0.shownToken() }
        )
    }

    private mutating func shownToken() -> OfflineGrant.App2AppApproval.ShownToken {
        OfflineGrant.App2AppApproval.ShownToken(
            family: integer(0...2),
            generation: integer(0...3)
        )
    }

    mutating func deviceSecret(at: Instant) -> OfflineGrant.DeviceSecretIssued {
        OfflineGrant.DeviceSecretIssued(
            generation: integer(0...3),
            secret: digest(),
            dpopKey: maybe { $0.key() },
            at: at
        )
    }

    mutating func clientJoined(at: Instant) -> OfflineGrant.ClientJoined {
        OfflineGrant.ClientJoined(
            client: client(),
            scope: scope(),
            via: any(OfflineGrant.ClientVia.self),
            depth: integer(0...4),
            parent: parent(),
            deviceSecret: maybe { $0.integer(0...3) },
            at: at
        )
    }

    mutating func urlIssued(at: Instant) -> OfflineGrant.URLIssued {
        OfflineGrant.URLIssued(client: client(), depth: integer(0...4), url: stream(), at: at)
    }

    /// Of few, so that the same comes again.
    mutating func deviceKey() -> DeviceKey {
        let number = UInt8(draw(below: 3))
        return DeviceKey(
            thumbprint: Sample.key(number),
            jwk: Array(#"{"kty":"EC","x":"\#(number)"}"#.utf8)
        )
    }

    mutating func urlEvent() -> PreAuthenticatedURL.Event {
        bool()
            ? .issued(
                PreAuthenticatedURL.Ticket(
                    session: session(),
                    client: client(),
                    scope: scope(),
                    secret: digest(),
                    expiresAt: wholeInstant()
                )
            )
            : .consumed(token(), expiresAt: wholeInstant())
    }

    mutating func consentEvent() -> Consent.Event {
        bool()
            ? .given(client(), scope())
            : .withdrawn(client(), by: any(Consent.Withdrawer.self))
    }

    mutating func keyEvent(at: Instant) -> SigningKeyRing.Event {
        switch draw(below: 5) {
        case 0:
            .staged(
                kid: kid(),
                any(SigningKeyRing.Algorithm.self),
                publicKey: publicKey(),
                at: at
            )
        case 1: .promoted(kid: kid(), emergency: bool())
        case 2: .retired(kid: kid(), at: at)
        case 3: .removed(kid: kid())
        default: .compromised(kid: kid(), issuedBefore: wholeInstant())
        }
    }

    mutating func configEvent(at: Instant) -> ProjectConfig.Event {
        switch draw(below: 3) {
        case 0:
            .applied(
                applied(),
                changed: texts(),
                added: difference(at: at),
                cascaded: difference(at: at)
            )
        case 1: .suspended(reason: text())
        default: .resumed
        }
    }
}
