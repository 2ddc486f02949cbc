/// The scopes of WireContract 8.6 that are no resource's.
package enum BuiltInScopes {
    /// An ID token (OpenID Connect Core section 3.1.2.1).
    package static let openID = "openid"
    /// Refresh tokens (OpenID Connect Core section 11).
    package static let offlineAccess = "offline_access"
    /// Claims at userinfo, like the next three (OpenID Connect Core section 5.4), of which address
    /// and phone have none here.
    package static let email = "email"
    package static let profile = "profile"
    package static let address = "address"
    package static let phone = "phone"
    /// All claims, and all that is the user's own (WireContract 9.5 and 9.6).
    package static let fullAccess = "https://authgear.com/scopes/full-access"
    /// All claims.
    package static let fullUserInfo = "https://authgear.com/scopes/full-userinfo"
    /// A device secret (OpenID Native SSO section 3.1).
    package static let deviceSSO = "device_sso"
    /// URLs that open a web session from a native one (WireContract 5.7).
    package static let preAuthenticatedURL = "https://authgear.com/scopes/pre-authenticated-url"
    /// The revocation feed (WireContract 12.1).
    package static let revocationsRead = "revocations.read"

    /// For every client but services.
    package static let user = [openID, offlineAccess, email, profile, address, phone]
    /// For first-party clients alone.
    package static let firstParty = [fullAccess, fullUserInfo]
    /// For services alone.
    package static let machine = [revocationsRead, "ssf.read", "ssf.manage", "audit.read"]

    package static let all = Set(user + firstParty + [deviceSSO, preAuthenticatedURL] + machine)
}
