/// What the payload of each type holds (Events 8).
extension StoredType {
    /// Every member a payload of this type may have, sorted by name.
    ///
    /// Marks decide what is published: a member that is not here never leaves PostgreSQL.
    package var members: [StoredMember] { Self.membersByType[self] ?? [] }

    private static let membersByType = [
        subjectMembers, loginIDMembers, loginLinkMembers, authorizationMembers,
        browserSessionMembers, authorizationCodeMembers,
        offlineGrantMembers, biometricKeyMembers, urlMembers, consentMembers, spentMembers,
        signingKeyMembers,
        projectConfigMembers,
    ].reduce(into: [:]) { all, some in all.merge(some) { first, _ in first } }
}

extension StoredType {
    private typealias Members = [StoredType: [StoredMember]]

    private static let subjectMembers: Members = [
        .subjectRegistered: [.sealed("email"), .boolean("email_verified"), .text("source")],
        .subjectDisabled: [.reason],
        .subjectEnabled: [],
        .subjectErased: [],
    ]

    private static let loginIDMembers: Members = [
        .loginIDClaimed: [.text("kind"), .id("subject"), .sealed("value")],
        .loginIDReleased: [.reason, .id("subject")],
    ]

    private static let loginLinkMembers: Members = [
        .loginLinkRequested: [
            .id("authorization"), .client, .sealed("device").optional, .sealed("email"), .expiry,
            .integer("generation"), .digest("initiator"), .boolean("known").stored, .text("mode"),
            .integer("number").stored, .sealed("place").optional,
        ],
        .loginLinkResent: [.integer("generation")],
        .loginLinkMailSent: [.integer("attempt"), .integer("generation")],
        .loginLinkMailFailed: [
            .integer("attempt"), .integer("code"), .boolean("final"), .integer("generation"),
        ],
        .loginLinkApproved: [.text("by"), .integer("generation"), .boolean("same_device")],
        .loginLinkDenied: [.reason],
        .loginLinkSuperseded: [.id("by")],
        .loginLinkConsumed: [.id("authorization")],
    ]

    private static let authorizationMembers: Members = [
        .authorizationPushed: [
            .client, .digest("code_challenge").optional, .text("color_scheme").stored.optional,
            .text("dpop_jkt").optional, .id("expected_subject").stored.optional, .expiry,
            .sealed("login_hint").optional, .integer("max_age").optional,
            .text("nonce").stored.optional, .texts("prompt"), .text("redirect_uri"),
            .boolean("redirect_uri_given").stored, .id("renews").stored.optional,
            .digest("request_uri"), .texts("resources").optional, .text("response_mode"),
            .text("response_type"), .scope, .boolean("sso").stored,
            .text("state").stored.optional,
        ],
        .authorizationStarted: [
            .digest("browser"), .client, .digest("code_challenge").optional,
            .text("color_scheme").stored.optional, .text("dpop_jkt").optional,
            .id("expected_subject").stored.optional, .expiry,
            .sealed("login_hint").optional, .integer("max_age").optional,
            .text("nonce").stored.optional, .texts("prompt"), .text("redirect_uri"),
            .boolean("redirect_uri_given").stored, .id("renews").stored.optional,
            .texts("resources").optional, .text("response_mode"), .text("response_type"), .scope,
            .boolean("sso").stored, .text("state").stored.optional,
        ],
        .authorizationLoginRequested: [.id("login_link"), .text("method")],
        .authorizationAuthenticated: [
            .amr, .text("app_client").optional, .id("app_session").optional,
            .time("app_since_at").optional, .approval, .authTime,
            .id("browser_session").optional, .text("via"),
        ],
        .authorizationCompleted: [.id("code").optional, .scope],
        .authorizationFailed: [.text("error")],
    ]

    private static let browserSessionMembers: Members = [
        .browserSessionOpened: [
            .amr, .approval, .authTime, .digest("cookie"), .expiry, .integer("idle_ms"), .parent,
        ],
        .browserSessionCookieRotated: [.digest("cookie"), .reason],
        .browserSessionReauthenticated: [.amr, .approval, .authTime, .digest("cookie")],
        .browserSessionSeen: [],
        .browserSessionClientJoined: [.client, .id("grant")],
        .browserSessionEnded: [.reason],
    ]

    private static let authorizationCodeMembers: Members = [
        .authorizationCodeIssued: [
            .amr, .text("app_client").optional, .id("app_session").optional,
            .time("app_since_at").optional, .approval, .authTime, .client,
            .digest("code_challenge").optional, .text("dpop_jkt").optional, .expiry,
            .text("nonce").stored.optional, .parent,
            .text("redirect_uri"), .boolean("redirect_uri_given").stored,
            .id("renews").stored.optional, .texts("resources").optional, .scope, .digest("secret"),
            .id("session").optional, .text("via"),
        ],
        .authorizationCodeRedeemed: [
            .integer("family").optional, .id("grant"), .id("jti").optional,
        ],
        .authorizationCodeReplayed: [.integer("after_ms"), .boolean("revoked")],
    ]

    private static let offlineGrantMembers: Members = [
        .offlineGrantOpened: [
            .amr, .approval, .authTime, .id("browser_session").optional, .client,
            .sealed("device").optional, .expiry, .integer("idle_ms"), .parent, .scope,
            .text("via"),
        ],
        .offlineGrantRefreshTokenIssued: [
            .client, .text("dpop_jkt").optional, .expiry, .integer("family"),
            .texts("resources").optional, .boolean("rotates"), .scope, .digest("secret"),
        ],
        .offlineGrantAccessTokenIssued: [
            .client, .text("dpop_jkt").optional, .expiry, .id("jti"), .scope, .text("via"),
        ],
        .offlineGrantRefreshed: [
            .client, .expiry, .integer("family"), .integer("generation"), .id("jti"),
            .boolean("rotated"), .scope, .digest("secret").optional,
        ],
        .offlineGrantRetried: [.integer("family"), .integer("generation"), .id("jti")],
        .offlineGrantReuseDetected: [
            .client, .integer("family"), .integer("presented_generation"),
        ],
        .offlineGrantDeviceKeyBound: [
            .boolean("insecure"), .text("jkt"), StoredMember("key", .key).stored,
        ],
        .offlineGrantRevoked: [.reason],
        .offlineGrantAccessTokenRevoked: [.client, .expiry, .id("jti")],
        .offlineGrantReauthenticated: [.amr, .approval, .authTime],
        .offlineGrantApp2AppApproved: [
            .boolean("biometric"), .id("code"), .integer("family").optional,
            .integer("generation").optional, .boolean("insecure"), .text("target"),
        ],
        .offlineGrantDeviceSecretIssued: [
            .text("dpop_jkt").optional, .integer("generation"), .digest("secret"),
        ],
        .offlineGrantClientJoined: [
            .client, .integer("depth"), .integer("device_secret").optional, .parent, .scope,
            .text("via"),
        ],
        .offlineGrantClientLeft: [.client, .reason],
        .offlineGrantDeviceSecretRevoked: [.integer("generation")],
        .offlineGrantDeviceLinked: [.id("session")],
        .offlineGrantDeviceSecretUsed: [.integer("generation")],
        .offlineGrantURLIssued: [.client, .integer("depth"), .id("url")],
    ]

    private static let biometricKeyMembers: Members = [
        .biometricKeyEnabled: [
            .text("alg"), .approval, .client, .sealed("device").optional, .text("jkt"),
            StoredMember("key", .key).stored, .text("kid"), .id("mail").stored.optional,
            .id("subject"),
        ],
        .biometricKeyUsed: [.text("action"), .id("grant")],
        .biometricKeyVerificationFailed: [.integer("count")],
        .biometricKeyDisabled: [.reason],
        .biometricKeyMaterialClaimed: [.text("kid")],
    ]

    private static let urlMembers: Members = [
        .preAuthenticatedURLIssued: [
            .client, .expiry, .id("grant"), .scope, .digest("secret"),
        ],
        .preAuthenticatedURLConsumed: [.expiry, .id("jti")],
    ]

    private static let consentMembers: Members = [
        .consentGiven: [.client, .scope],
        .consentWithdrawn: [.text("by"), .client],
    ]

    private static let spentMembers: Members = [
        .spentSpent: [.expiry, .text("purpose")]
    ]

    private static let signingKeyMembers: Members = [
        .signingKeyStaged: [.text("alg"), .text("kid"), StoredMember("public_key", .key)],
        .signingKeyPromoted: [.boolean("emergency"), .text("kid")],
        .signingKeyRetired: [.text("kid")],
        .signingKeyRemoved: [.text("kid")],
        .signingKeyCompromised: [.time("issued_before_at"), .text("kid")],
    ]

    private static let projectConfigMembers: Members = [
        .projectConfigApplied: [
            .texts("added").optional, .texts("cascaded").optional, .texts("changed"),
            .text("digest"), .text("document").stored, .text("project"),
        ],
        .projectConfigSuspended: [.reason],
        .projectConfigResumed: [],
    ]
}
