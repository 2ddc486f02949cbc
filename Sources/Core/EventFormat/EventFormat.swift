package import Domain
internal import OAuth

/// Events to stored bytes and back (Events 4 and 8).
///
/// Subject and time of an event travel in columns, not in its payload.
package enum EventFormat {
    /// The type number and canonical payload of an event.
    package static func encode(_ event: DomainEvent) -> (type: Int16, payload: [UInt8]) {
        var writer = JSONWriter(reserving: 384)
        writer.object { event.write(to: &$0) }
        return (event.storedType.rawValue, writer.bytes)
    }

    /// The event of a stored row; members it does not know are ignored.
    ///
    /// - Throws: `FormatError`; an unknown number is never skipped, never guessed.
    package static func decode(
        type: Int16,
        payload: [UInt8],
        columns: StoredColumns,
        by steps: [Int16: Upcasting.Step] = Upcasting.steps
    ) throws(FormatError) -> DomainEvent {
        guard steps[type] == nil else { return try upcast(type, payload, columns, by: steps) }
        let object: CanonicalObject
        do { object = try CanonicalObject(payload) } catch { throw .payload(error) }
        guard let type = StoredType(rawValue: type) else { throw .unknownType(type) }
        return try event(type, PayloadReader(object, columns: columns))
    }

    private static func upcast(
        _ type: Int16,
        _ payload: [UInt8],
        _ columns: StoredColumns,
        by steps: [Int16: Upcasting.Step]
    ) throws(FormatError) -> DomainEvent {
        let stored: JSON
        do { stored = try CanonicalJSON.read(payload) } catch { throw .payload(error) }
        let newest = try Upcasting.newest(type, stored, by: steps)
        guard let type = StoredType(rawValue: newest.type) else {
            throw .unknownType(newest.type)
        }
        return try event(type, PayloadReader(newest.payload, columns: columns))
    }

    static func event(
        _ type: StoredType,
        _ payload: PayloadReader
    ) throws(FormatError) -> DomainEvent {
        switch type {
        case .subjectRegistered: .subject(try .registered(from: payload))
        case .subjectDisabled: .subject(try .disabled(from: payload))
        case .subjectEnabled: .subject(try .enabled(from: payload))
        case .subjectErased: .subject(try .erased(from: payload))
        case .loginIDClaimed: .loginID(try .claimed(from: payload))
        case .loginIDReleased: .loginID(try .released(from: payload))
        case .loginLinkRequested: .loginLink(try .requested(from: payload))
        case .loginLinkResent: .loginLink(try .resent(from: payload))
        case .loginLinkMailSent: .loginLink(try .mailSent(from: payload))
        case .loginLinkMailFailed: .loginLink(try .mailFailed(from: payload))
        case .loginLinkApproved: .loginLink(try .approved(from: payload))
        case .loginLinkDenied: .loginLink(try .denied(from: payload))
        case .loginLinkSuperseded: .loginLink(try .superseded(from: payload))
        case .loginLinkConsumed: .loginLink(try .consumed(from: payload))
        case .authorizationPushed: .authorization(try .pushed(from: payload))
        case .authorizationStarted: .authorization(try .started(from: payload))
        case .authorizationLoginRequested: .authorization(try .loginRequested(from: payload))
        case .authorizationAuthenticated: .authorization(try .authenticated(from: payload))
        case .authorizationCompleted: .authorization(try .completed(from: payload))
        case .authorizationFailed: .authorization(try .failed(from: payload))
        case .browserSessionOpened: .browserSession(try .opened(from: payload))
        case .browserSessionCookieRotated: .browserSession(try .cookieRotated(from: payload))
        case .browserSessionReauthenticated: .browserSession(try .reauthenticated(from: payload))
        case .browserSessionSeen: .browserSession(try .seen(from: payload))
        case .browserSessionClientJoined: .browserSession(try .clientJoined(from: payload))
        case .browserSessionEnded: .browserSession(try .ended(from: payload))
        case .authorizationCodeIssued: .authorizationCode(try .issued(from: payload))
        case .authorizationCodeRedeemed: .authorizationCode(try .redeemed(from: payload))
        case .authorizationCodeReplayed: .authorizationCode(try .replayed(from: payload))
        case .offlineGrantOpened, .offlineGrantRefreshTokenIssued,
            .offlineGrantAccessTokenIssued, .offlineGrantRefreshed, .offlineGrantRetried,
            .offlineGrantReuseDetected, .offlineGrantDeviceKeyBound, .offlineGrantRevoked,
            .offlineGrantAccessTokenRevoked, .offlineGrantReauthenticated,
            .offlineGrantApp2AppApproved, .offlineGrantDeviceSecretIssued,
            .offlineGrantClientJoined, .offlineGrantClientLeft, .offlineGrantDeviceSecretRevoked,
            .offlineGrantDeviceLinked, .offlineGrantURLIssued, .offlineGrantDeviceSecretUsed:
            .offlineGrant(try OfflineGrant.Event(type, from: payload))
        case .biometricKeyEnabled, .biometricKeyUsed, .biometricKeyVerificationFailed,
            .biometricKeyDisabled, .biometricKeyMaterialClaimed:
            .biometricKey(try BiometricKey.Event(type, from: payload))
        case .preAuthenticatedURLIssued: .preAuthenticatedURL(try .issued(from: payload))
        case .preAuthenticatedURLConsumed: .preAuthenticatedURL(try .consumed(from: payload))
        case .consentGiven: .consent(try .given(from: payload))
        case .consentWithdrawn: .consent(try .withdrawn(from: payload))
        case .spentSpent: .spent(try .spent(from: payload))
        case .signingKeyStaged: .signingKey(try .staged(from: payload))
        case .signingKeyPromoted: .signingKey(try .promoted(from: payload))
        case .signingKeyRetired: .signingKey(try .retired(from: payload))
        case .signingKeyRemoved: .signingKey(try .removed(from: payload))
        case .signingKeyCompromised: .signingKey(try .compromised(from: payload))
        case .projectConfigApplied: .projectConfig(try .applied(from: payload))
        case .projectConfigSuspended: .projectConfig(try .suspended(from: payload))
        case .projectConfigResumed: .projectConfig(try .resumed(from: payload))
        }
    }
}
