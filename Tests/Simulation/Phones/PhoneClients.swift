import Domain
import Issuing

/// The clients that phones use.
enum PhoneClients {
    private static let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"

    /// All that whoever is let in, or opened, may have.
    private static let guestScope = "openid offline_access"

    /// All that a client may have.
    static func scope(of client: String) -> Scope? {
        let hasAll = ["bank", "shop", "sibling", "stranger"].contains(client)
        return Scope(hasAll ? Fixtures.phoneScope : guestScope)
    }

    /// `bank` and `shop` hold sessions, `guest` is let in by them, `sibling` shares theirs, and
    /// `site` is opened by URLs made for it, not for `annex`.
    static func all() throws(Fixtures.Malformed) -> [ClientSettings] {
        var bank = try native("bank", Fixtures.phoneScope)
        bank.grantTypes += [
            "urn:authgear:params:oauth:grant-type:biometric-request",
            "urn:authgear:params:oauth:grant-type:id-token",
        ]
        let guest = try Fixtures.some(ClientID("guest"))
        bank.app2app = .init(targets: [guest], cascades: true)
        bank.biometric = .init(setupMaxAgeSeconds: 0)
        bank.nativeSSOGroup = "vendor"
        bank.preAuthenticatedURL = .init()
        var shop = bank
        shop.id = try Fixtures.some(ClientID("shop"))
        shop.loginLinkApp = shop.id
        let distant = Instant(seconds: 4_000_000_000)
        shop.app2app = .init(insecureBindingUntil: distant, targets: [guest])
        var sibling = try native("sibling", Fixtures.phoneScope)
        sibling.grantTypes.append(exchange)
        sibling.nativeSSOGroup = "vendor"
        var letIn = try native("guest", guestScope)
        letIn.grantTypes += [
            "urn:authgear:params:oauth:grant-type:app2app",
            "urn:authgear:params:oauth:grant-type:app2app-request",
        ]
        // Of another vendor: it may ask for all that they may, and gets none of it.
        var stranger = try native("stranger", Fixtures.phoneScope)
        stranger.grantTypes = bank.grantTypes + letIn.grantTypes + [exchange]
        stranger.nativeSSOGroup = "stranger"
        return [
            bank, shop, letIn, sibling, stranger, try site("site"), try site("annex"),
        ]
    }

    private static func native(_ name: String, _ scope: String)
        throws(Fixtures.Malformed) -> ClientSettings
    {
        var client = ClientSettings(
            id: try Fixtures.some(ClientID(name)),
            name: name,
            applicationType: .native
        )
        client.allowedScopes = try Fixtures.some(Scope(scope))
        client.redirectURIs = [try Fixtures.some(RedirectURI(Fixtures.redirectURI))]
        client.refreshTokenGraceSeconds = Fixtures.graceSeconds
        return client
    }

    private static func site(_ name: String) throws(Fixtures.Malformed) -> ClientSettings {
        var client = try native(name, guestScope)
        client.applicationType = .traditionalWebapp
        client.grantTypes.append(exchange)
        client.preAuthenticatedURL = .init(allowedOrigins: ["https://www.example.com"])
        return client
    }
}
