import Domain
import InMemory
import Issuing

/// A project with a client of each kind that matters here.
enum Fixtures {
    /// A literal of these sources is malformed.
    struct Malformed: Error {}

    static let redirectURI = "https://app.example.com/callback"
    static let fullScope = "openid offline_access email payments.read"
    /// All that the app of a phone may have.
    static let phoneScope =
        "openid offline_access device_sso https://authgear.com/scopes/full-access "
        + "https://authgear.com/scopes/pre-authenticated-url"
    static let graceSeconds: Int64 = 30
    static let webLifeSeconds: Int64 = 600

    static func some<Value>(_ value: Value?) throws(Malformed) -> Value {
        guard let value else { throw Malformed() }
        return value
    }

    static func settings(_ digester: StandInDigester, _ policies: ApprovalPolicies)
        throws(Malformed) -> ProjectSettings
    {
        var settings = ProjectSettings(
            id: try some(ProjectID("bank")),
            name: "Example Bank",
            publicOrigin: "https://auth.example.com",
            hosts: ["auth.example.com"],
            clients: try clients(digester) + PhoneClients.all()
        )
        settings.cookieDomain = "example.com"
        policies.apply(to: &settings)
        settings.resources = [.init(uri: "https://api.example.com", scopes: ["payments.read"])]
        return settings
    }

    /// `app` and `other` are public and rotate, `web` holds a secret and does not, `desk` and
    /// `service` hold a key; `confirming` and `denying` differ from `app` in who may approve a
    /// login, `diary` in nothing, and `partner` in that its users must agree to it.
    private static func clients(_ digester: StandInDigester) throws(Malformed) -> [ClientSettings] {
        var app = ClientSettings(
            id: try some(ClientID("app")),
            name: "App",
            applicationType: .native
        )
        app.allowedScopes = try some(Scope(fullScope))
        app.redirectURIs = [try some(RedirectURI(redirectURI))]
        app.refreshTokenGraceSeconds = graceSeconds
        var other = app
        other.id = try some(ClientID("other"))
        other.loginLinkApp = other.id
        var web = app
        web.id = try some(ClientID("web"))
        web.loginLinkApp = web.id
        web.applicationType = .confidential
        web.authenticationMethod = .clientSecretBasic
        // Sessions end before their access tokens would.
        web.refreshTokenLifetimeSeconds = webLifeSeconds
        web.secretDigests = [digester.sha256(Array("a-secret".utf8))]
        var confirming = app
        confirming.id = try some(ClientID("confirming"))
        confirming.loginLinkApp = confirming.id
        confirming.loginLinkMode = .confirm
        var denying = app
        denying.id = try some(ClientID("denying"))
        denying.loginLinkApp = denying.id
        denying.loginLinkMode = .deny
        var diary = app
        diary.id = try some(ClientID(Regular.own))
        diary.loginLinkApp = diary.id
        var partner = app
        partner.id = try some(ClientID(Regular.partner))
        partner.loginLinkApp = partner.id
        partner.consentRequired = true
        var desk = web
        desk.id = try some(ClientID(Desk.server))
        desk.loginLinkApp = desk.id
        desk.refreshTokenLifetimeSeconds = app.refreshTokenLifetimeSeconds
        desk.authenticationMethod = .privateKeyJWT
        desk.secretDigests = []
        var service = ClientSettings(
            id: try some(ClientID(Desk.service)),
            name: "Service",
            applicationType: .m2m
        )
        service.authenticationMethod = .privateKeyJWT
        service.allowedScopes = try some(Scope("revocations.read"))
        return [app, other, web, confirming, denying, diary, partner, desk, service]
    }
}
