internal import Domain

/// Which grant types a client of each type may use (WireContract 5.1).
enum GrantTypes {
    private static let tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    private static let authgear = "urn:authgear:params:oauth:grant-type:"

    static func allowed(for type: ClientSettings.ApplicationType) -> [String] {
        let session = ["authorization_code", "refresh_token"]
        let app2app = ["\(authgear)app2app", "\(authgear)app2app-request"]
        let idToken = ["\(authgear)id-token"]
        let firstParty = session + app2app + [tokenExchange] + idToken
        return switch type {
        case .native: firstParty + ["\(authgear)biometric-request"]
        case .spa, .traditionalWebapp: firstParty
        case .confidential: session + [tokenExchange]
        case .thirdPartyApp: session + app2app + idToken
        case .m2m: ["client_credentials"]
        }
    }
}
