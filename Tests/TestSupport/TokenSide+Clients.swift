import Domain
import InMemory
import Issuing

extension TokenSide {
    private static let urlScope = "https://authgear.com/scopes/pre-authenticated-url"

    /// One of each kind.
    static func clients(_ digester: StandInDigester) throws -> [ClientSettings] {
        let scope = try Fixture.some(
            Scope("openid offline_access email payments.read device_sso \(urlScope)")
        )
        var app = ClientSettings(
            id: try Fixture.some(ClientID("app")),
            name: "App",
            applicationType: .native
        )
        app.allowedScopes = scope
        app.redirectURIs = [try Fixture.some(RedirectURI(redirectURI))]
        app.defaultResources = ["https://api.example.com"]
        app.app2app = ClientSettings.App2App()
        app.biometric = ClientSettings.Biometric()
        app.nativeSSOGroup = "bank"
        app.preAuthenticatedURL = ClientSettings.PreAuthenticatedURL()
        app.grantTypes +=
            App2AppGrant.names + BiometricRequestGrant.names + TokenExchangeGrant.names
            + IDTokenGrant.names
        var other = app
        other.id = try Fixture.some(ClientID("other"))
        other.app2app = nil
        other.biometric = nil
        other.nativeSSOGroup = nil
        other.preAuthenticatedURL = nil
        var invest = other
        invest.id = try Fixture.some(ClientID("invest"))
        invest.nativeSSOGroup = app.nativeSSOGroup
        var offers = other
        offers.id = try Fixture.some(ClientID("offers"))
        offers.applicationType = .traditionalWebapp
        offers.allowedScopes = try Fixture.some(Scope("openid offline_access email"))
        offers.preAuthenticatedURL = ClientSettings.PreAuthenticatedURL(
            allowedOrigins: ["https://www.example.com"]
        )
        var offers2 = offers
        offers2.id = try Fixture.some(ClientID("offers2"))
        var web = other
        web.id = try Fixture.some(ClientID("web"))
        web.applicationType = .confidential
        web.authenticationMethod = .clientSecretBasic
        web.secretDigests = [digester.sha256(Array("a-secret".utf8))]
        web.refreshTokenRotation = .auto
        var api = ClientSettings(
            id: try Fixture.some(ClientID("api")),
            name: "API",
            applicationType: .m2m
        )
        api.secretDigests = web.secretDigests
        api.resources = ["https://api.example.com"]
        api.allowedScopes = try Fixture.some(Scope("revocations.read"))
        var reader = api
        reader.id = try Fixture.some(ClientID("web-api"))
        reader.resources = ["offers"]
        return [app, other, invest, offers, offers2, web, api, reader]
    }
}
