/// One entry of `oauth.clients`, every default filled in (WireContract 3.2).
package struct ClientSettings: Hashable, Sendable {
    package var id: ClientID
    package var name: String
    package var applicationType: ApplicationType
    package var enabled: Bool
    package var authenticationMethod: AuthenticationMethod
    /// SHA-256 of generated secrets, at most two.
    package var secretDigests: [TokenDigest]
    package var keys: [Key]
    package var redirectURIs: [RedirectURI]
    package var postLogoutRedirectURIs: [RedirectURI]
    /// The `grant_type` values it may use, already narrowed to what its type allows.
    package var grantTypes: [String]
    package var allowedScopes: Scope
    package var defaultResources: [String]
    /// `m2m`: the audiences this service is.
    package var resources: [String]
    package var accessTokenLifetimeSeconds: Int64
    package var refreshTokenLifetimeSeconds: Int64
    /// Nil when the idle timeout is off.
    package var refreshTokenIdleSeconds: Int64?
    package var refreshTokenRotation: Rotation
    package var refreshTokenGraceSeconds: Int64
    package var pkce: PKCE
    package var idTokenAlgorithm: SigningKeyRing.Algorithm
    package var consentRequired: Bool
    package var loginLinkMode: LoginLink.Mode
    /// Whose universal link the mail carries.
    package var loginLinkApp: ClientID
    package var universalLink: UniversalLink
    /// Nil unless it may let other apps in (`x_app2app_enabled`).
    package var app2app: App2App?
    /// Nil unless its users may log in by fingerprint or face.
    package var biometric: Biometric?
    package var dpop: DPoP
    /// Clients of one group may share sessions; nil: with nobody (`x_native_sso_group`).
    package var nativeSSOGroup: String?
    /// Nil unless it takes part in pre-authenticated URLs.
    package var preAuthenticatedURL: PreAuthenticatedURL?
    /// `x_security_profile` is `fapi2`: assertions have one form only (WireContract 6.3).
    package var isFAPI: Bool
    /// Whether its requests must come ahead (`require_pushed_authorization_requests`).
    package var requiresPushedRequests: Bool

    package enum ApplicationType: String, Hashable, Sendable, CaseIterable {
        case native, spa
        case traditionalWebapp = "traditional_webapp"
        case confidential
        case thirdPartyApp = "third_party_app"
        case m2m

        /// Public clients hold no secret (RFC 6749 section 2.1).
        package var isPublic: Bool {
            switch self {
            case .native, .spa, .traditionalWebapp: true
            case .confidential, .thirdPartyApp, .m2m: false
            }
        }

        /// Of the project's own vendor: no consent is asked by default.
        package var isFirstParty: Bool { self != .thirdPartyApp && self != .m2m }
    }

    /// `token_endpoint_auth_method` (RFC 7591 section 2).
    package enum AuthenticationMethod: String, Hashable, Sendable, CaseIterable {
        case none
        case clientSecretBasic = "client_secret_basic"
        case clientSecretPost = "client_secret_post"
        case privateKeyJWT = "private_key_jwt"
    }

    package enum Rotation: String, Hashable, Sendable, CaseIterable { case auto, always, never }

    /// What an authorization request of the client must carry (`require_pkce`, WireContract 3.2).
    package enum PKCE: Hashable, Sendable { case required, challengeOrNonce, optional }

    /// A public key of the client for `private_key_jwt`.
    package struct Key: Hashable, Sendable {
        package var kid: String
        /// The JWK as canonical JSON.
        package var jwk: [UInt8]

        package init(kid: String, jwk: [UInt8]) {
            self.kid = kid
            self.jwk = jwk
        }
    }

    /// The apps that open links of this client (WireContract 7.6).
    package struct UniversalLink: Hashable, Sendable {
        /// `<team id>.<bundle id>` or the bare bundle id; nil when off.
        package var iosAppID: String?
        package var androidPackage: String?
        package var androidFingerprints: [String]
        /// Whether app2app links may stand at this host (`universal_link.app2app`).
        package var opensApp2App: Bool

        package init(
            iosAppID: String? = nil,
            androidPackage: String? = nil,
            androidFingerprints: [String] = [],
            opensApp2App: Bool = false
        ) {
            self.opensApp2App = opensApp2App
            self.iosAppID = iosAppID
            self.androidPackage = androidPackage
            self.androidFingerprints = androidFingerprints
        }
    }

    /// The defaults of WireContract 3.2 for a client of this type.
    package init(id: ClientID, name: String, applicationType: ApplicationType) {
        self.id = id
        self.name = name
        self.applicationType = applicationType
        enabled = true
        authenticationMethod = applicationType.isPublic ? .none : .clientSecretBasic
        secretDigests = []
        keys = []
        redirectURIs = []
        postLogoutRedirectURIs = []
        grantTypes =
            applicationType == .m2m
            ? ["client_credentials"] : ["authorization_code", "refresh_token"]
        allowedScopes = .empty
        defaultResources = []
        resources = []
        accessTokenLifetimeSeconds = 900
        refreshTokenLifetimeSeconds = 15_552_000
        refreshTokenIdleSeconds = 2_592_000
        refreshTokenRotation = .auto
        refreshTokenGraceSeconds = 30
        pkce = applicationType.isPublic ? .required : .challengeOrNonce
        idTokenAlgorithm = .es256
        consentRequired = applicationType == .thirdPartyApp
        loginLinkMode = .automatic
        loginLinkApp = id
        universalLink = UniversalLink()
        app2app = nil
        biometric = nil
        dpop = .optional
        nativeSSOGroup = nil
        preAuthenticatedURL = nil
        isFAPI = false
        requiresPushedRequests = false
    }

    /// Whether a family of this client rotates its refresh tokens (WireContract 5.3).
    package func rotates(dpopBound: Bool) -> Bool {
        switch refreshTokenRotation {
        case .always: true
        case .never: false
        // Without DPoP a bound one is held by possession alone, as the others are.
        case .auto: authenticationMethod == .none && (!dpopBound || dpop == .disabled)
        }
    }
}

// From another module a method of the value would be asked of a copy.
extension Shared<ClientSettings> {
    /// As the settings', without a copy of them.
    package func rotates(dpopBound: Bool) -> Bool { value.rotates(dpopBound: dpopBound) }
}
