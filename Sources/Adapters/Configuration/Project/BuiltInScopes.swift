internal import Domain

/// The scopes of wire.md section 8.6 that are no resource's.
enum BuiltInScopes {
    static let user = ["openid", "offline_access", "email", "profile", "address", "phone"]
    static let firstParty = [
        "https://authgear.com/scopes/full-access", "https://authgear.com/scopes/full-userinfo",
    ]
    static let deviceSSO = "device_sso"
    static let preAuthenticatedURL = "https://authgear.com/scopes/pre-authenticated-url"
    static let machine = ["revocations.read", "ssf.read", "ssf.manage", "audit.read"]

    static let all = Set(user + firstParty + [deviceSSO, preAuthenticatedURL] + machine)
}
