package import Domain
internal import OAuth

/// What the `type` column means: one name and schema version each (Events 8).
///
/// The raw value is the number; numbers and names are for ever, so none is ever reused.
package enum StoredType: Int16, CaseIterable, Sendable {
    case subjectRegistered = 101
    case subjectDisabled = 104
    case subjectEnabled = 105
    case subjectErased = 106

    case loginIDClaimed = 201
    case loginIDReleased = 202

    case loginLinkRequested = 301
    case loginLinkResent = 302
    case loginLinkMailSent = 303
    case loginLinkMailFailed = 304
    case loginLinkApproved = 306
    case loginLinkDenied = 307
    case loginLinkSuperseded = 308
    case loginLinkConsumed = 309

    case authorizationPushed = 401
    case authorizationStarted = 402
    case authorizationLoginRequested = 403
    case authorizationAuthenticated = 404
    case authorizationCompleted = 405
    case authorizationFailed = 406

    case browserSessionOpened = 501
    case browserSessionCookieRotated = 502
    case browserSessionReauthenticated = 503
    case browserSessionSeen = 504
    case browserSessionClientJoined = 505
    case browserSessionEnded = 506

    case authorizationCodeIssued = 601
    case authorizationCodeRedeemed = 602
    case authorizationCodeReplayed = 603

    case offlineGrantOpened = 701
    case offlineGrantRefreshTokenIssued = 702
    case offlineGrantAccessTokenIssued = 703
    case offlineGrantRefreshed = 704
    case offlineGrantRetried = 705
    case offlineGrantReuseDetected = 706
    case offlineGrantDeviceKeyBound = 707
    case offlineGrantDeviceSecretIssued = 708
    case offlineGrantClientJoined = 709
    case offlineGrantClientLeft = 710
    case offlineGrantRevoked = 711
    case offlineGrantAccessTokenRevoked = 712
    case offlineGrantReauthenticated = 713
    case offlineGrantApp2AppApproved = 714
    case offlineGrantDeviceSecretRevoked = 716
    case offlineGrantDeviceLinked = 717
    case offlineGrantURLIssued = 718
    case offlineGrantDeviceSecretUsed = 719

    case biometricKeyEnabled = 801
    case biometricKeyUsed = 802
    case biometricKeyVerificationFailed = 803
    case biometricKeyDisabled = 804
    case biometricKeyMaterialClaimed = 805

    case preAuthenticatedURLIssued = 901
    case preAuthenticatedURLConsumed = 902

    case consentGiven = 1001
    case consentWithdrawn = 1002

    case spentSpent = 1101

    case signingKeyStaged = 1201
    case signingKeyPromoted = 1202
    case signingKeyRetired = 1203
    case signingKeyRemoved = 1204
    case signingKeyCompromised = 1205

    case projectConfigApplied = 1301
    case projectConfigSuspended = 1302
    case projectConfigResumed = 1303

    /// The stored name, `<kind>.<event>.v<version>`.
    package var name: String {
        switch self {
        case .subjectRegistered: "subject.registered.v1"
        case .subjectDisabled: "subject.disabled.v1"
        case .subjectEnabled: "subject.enabled.v1"
        case .subjectErased: "subject.erased.v1"
        case .loginIDClaimed: "login-id.claimed.v1"
        case .loginIDReleased: "login-id.released.v1"
        case .loginLinkRequested: "login-link.requested.v1"
        case .loginLinkResent: "login-link.resent.v1"
        case .loginLinkMailSent: "login-link.mail_sent.v1"
        case .loginLinkMailFailed: "login-link.mail_failed.v1"
        case .loginLinkApproved: "login-link.approved.v1"
        case .loginLinkDenied: "login-link.denied.v1"
        case .loginLinkSuperseded: "login-link.superseded.v1"
        case .loginLinkConsumed: "login-link.consumed.v1"
        case .authorizationPushed: "authorization.pushed.v1"
        case .authorizationStarted: "authorization.started.v1"
        case .authorizationLoginRequested: "authorization.login_requested.v1"
        case .authorizationAuthenticated: "authorization.authenticated.v1"
        case .authorizationCompleted: "authorization.completed.v1"
        case .authorizationFailed: "authorization.failed.v1"
        case .browserSessionOpened: "browser-session.opened.v1"
        case .browserSessionCookieRotated: "browser-session.cookie_rotated.v1"
        case .browserSessionReauthenticated: "browser-session.reauthenticated.v1"
        case .browserSessionSeen: "browser-session.seen.v1"
        case .browserSessionClientJoined: "browser-session.client_joined.v1"
        case .browserSessionEnded: "browser-session.ended.v1"
        case .authorizationCodeIssued: "authorization-code.issued.v1"
        case .authorizationCodeRedeemed: "authorization-code.redeemed.v1"
        case .authorizationCodeReplayed: "authorization-code.replayed.v1"
        case .offlineGrantOpened: "offline-grant.opened.v1"
        case .offlineGrantRefreshTokenIssued: "offline-grant.refresh_token_issued.v1"
        case .offlineGrantAccessTokenIssued: "offline-grant.access_token_issued.v1"
        case .offlineGrantRefreshed: "offline-grant.refreshed.v1"
        case .offlineGrantRetried: "offline-grant.retried.v1"
        case .offlineGrantReuseDetected: "offline-grant.reuse_detected.v1"
        case .offlineGrantDeviceKeyBound: "offline-grant.device_key_bound.v1"
        case .offlineGrantDeviceSecretIssued: "offline-grant.device_secret_issued.v1"
        case .offlineGrantClientJoined: "offline-grant.client_joined.v1"
        case .offlineGrantClientLeft: "offline-grant.client_left.v1"
        case .offlineGrantRevoked: "offline-grant.revoked.v1"
        case .offlineGrantAccessTokenRevoked: "offline-grant.access_token_revoked.v1"
        case .offlineGrantReauthenticated: "offline-grant.reauthenticated.v1"
        case .offlineGrantApp2AppApproved: "offline-grant.app2app_approved.v1"
        case .offlineGrantDeviceSecretRevoked: "offline-grant.device_secret_revoked.v1"
        case .offlineGrantDeviceLinked: "offline-grant.device_linked.v1"
        case .offlineGrantDeviceSecretUsed: "offline-grant.device_secret_used.v1"
        case .offlineGrantURLIssued: "offline-grant.url_issued.v1"
        case .biometricKeyEnabled: "biometric-key.enabled.v1"
        case .biometricKeyUsed: "biometric-key.used.v1"
        case .biometricKeyVerificationFailed: "biometric-key.verification_failed.v1"
        case .biometricKeyDisabled: "biometric-key.disabled.v1"
        case .biometricKeyMaterialClaimed: "biometric-key.material_claimed.v1"
        case .preAuthenticatedURLIssued: "pre-authenticated-url.issued.v1"
        case .preAuthenticatedURLConsumed: "pre-authenticated-url.consumed.v1"
        case .consentGiven: "consent.given.v1"
        case .consentWithdrawn: "consent.withdrawn.v1"
        case .spentSpent: "spent.spent.v1"
        case .signingKeyStaged: "signing-key.staged.v1"
        case .signingKeyPromoted: "signing-key.promoted.v1"
        case .signingKeyRetired: "signing-key.retired.v1"
        case .signingKeyRemoved: "signing-key.removed.v1"
        case .signingKeyCompromised: "signing-key.compromised.v1"
        case .projectConfigApplied: "project-config.applied.v1"
        case .projectConfigSuspended: "project-config.suspended.v1"
        case .projectConfigResumed: "project-config.resumed.v1"
        }
    }

    /// The types that open what a subject has; the index `events_opened` holds these.
    ///
    /// Each stands first in its stream; of an address or a consent that comes back, later again.
    package static let openings: [Self] = [
        .loginIDClaimed, .loginLinkRequested, .browserSessionOpened, .offlineGrantOpened,
        .biometricKeyEnabled, .consentGiven,
    ]

    /// The types that nothing follows in their stream.
    package static let endings: [Self] = [
        .browserSessionEnded, .offlineGrantRevoked, .biometricKeyDisabled,
    ]

    /// The type of a stored name; nil for a name this version does not know.
    init?(name: Span<UInt8>) {
        guard let type = Self.byName[Array(copying: name)] else { return nil }
        self = type
    }

    private static let byName = Dictionary(
        uniqueKeysWithValues: allCases.map { (Array($0.name.utf8), $0) }
    )

    /// The kind of stream it stands in.
    package var kind: AggregateKind {
        switch self {
        case .subjectRegistered, .subjectDisabled, .subjectEnabled, .subjectErased: .subject
        case .loginIDClaimed, .loginIDReleased: .loginID
        case .loginLinkRequested, .loginLinkResent, .loginLinkMailSent, .loginLinkMailFailed,
            .loginLinkApproved, .loginLinkDenied, .loginLinkSuperseded, .loginLinkConsumed:
            .loginLink
        case .authorizationPushed, .authorizationStarted, .authorizationLoginRequested,
            .authorizationAuthenticated, .authorizationCompleted, .authorizationFailed:
            .authorization
        case .browserSessionOpened, .browserSessionCookieRotated, .browserSessionReauthenticated,
            .browserSessionSeen, .browserSessionClientJoined, .browserSessionEnded:
            .browserSession
        case .authorizationCodeIssued, .authorizationCodeRedeemed, .authorizationCodeReplayed:
            .authorizationCode
        case .offlineGrantOpened, .offlineGrantRefreshTokenIssued, .offlineGrantAccessTokenIssued,
            .offlineGrantRefreshed, .offlineGrantRetried, .offlineGrantReuseDetected,
            .offlineGrantDeviceKeyBound, .offlineGrantRevoked, .offlineGrantAccessTokenRevoked,
            .offlineGrantReauthenticated, .offlineGrantApp2AppApproved,
            .offlineGrantDeviceSecretIssued, .offlineGrantClientJoined, .offlineGrantClientLeft,
            .offlineGrantDeviceSecretRevoked, .offlineGrantDeviceLinked, .offlineGrantURLIssued,
            .offlineGrantDeviceSecretUsed:
            .offlineGrant
        case .biometricKeyEnabled, .biometricKeyUsed, .biometricKeyVerificationFailed,
            .biometricKeyDisabled, .biometricKeyMaterialClaimed:
            .biometricKey
        case .preAuthenticatedURLIssued, .preAuthenticatedURLConsumed: .preAuthenticatedURL
        case .consentGiven, .consentWithdrawn: .consent
        case .spentSpent: .spent
        case .signingKeyStaged, .signingKeyPromoted, .signingKeyRetired, .signingKeyRemoved,
            .signingKeyCompromised:
            .signingKey
        case .projectConfigApplied, .projectConfigSuspended, .projectConfigResumed: .projectConfig
        }
    }
}
