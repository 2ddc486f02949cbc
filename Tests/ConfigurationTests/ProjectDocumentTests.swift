import Configuration
import Domain
import Foundation
import Issuing
import Testing

@Suite("A project document") struct ProjectDocumentTests {
    static func read(_ text: String, insecure: Bool = false) throws(ProjectFindings)
        -> ProjectSettings
    {
        try ProjectDocument(isInsecureDevelopment: insecure).read(Array(text.utf8))
    }

    @Test("the example of the wire contract is read whole") func example() throws {
        let settings = try Self.read(Example.text)
        #expect(settings.id.text == "bank")
        #expect(settings.name == "Example Bank")
        #expect(settings.publicOrigin == "https://auth.example.com")
        #expect(settings.projectorOrigin == "https://auth.example.com")
        #expect(settings.hosts == ["auth.example.com"])
        #expect(settings.cookieDomain == "example.com")
        #expect(settings.resources.map(\.uri) == ["https://api.example.com"])
        #expect(settings.resources.first?.scopes == ["payments.read", "payments.write"])
        #expect(settings.clients.map(\.id.text) == ["client_a", "client_b", "web", "api"])

        let app = settings.clients[0]
        #expect(app.applicationType == .native)
        #expect(app.authenticationMethod == .none)
        #expect(
            app.redirectURIs.map(\.text) == [
                "com.example.bank:/callback", "https://a.example.com/redirect",
            ]
        )
        #expect(app.defaultResources == ["https://api.example.com"])
        #expect(app.loginLinkMode == .confirm)
        #expect(app.universalLink.iosAppID == "A1B2C3D4E5.com.example.bank")
        #expect(app.universalLink.androidPackage == "com.example.bank")
        #expect(app.universalLink.androidFingerprints == [Example.fingerprint])
        #expect(app.allowedScopes.contains("device_sso"))
        #expect(app.allowedScopes.contains("https://authgear.com/scopes/pre-authenticated-url"))

        #expect(!settings.clients[1].allowedScopes.contains("payments.read"))
        #expect(settings.clients[2].loginLinkApp == app.id)
        #expect(settings.clients[2].loginLinkMode == .automatic)

        let api = settings.clients[3]
        #expect(api.secretDigests.count == 1)
        #expect(api.resources == ["https://api.example.com"])
        #expect(api.allowedScopes.text == "revocations.read ssf.manage ssf.read")
        #expect(api.grantTypes == ["client_credentials"])
    }

    @Test("a missing key is found where the document asks for it") func missingKey() throws {
        let line = "client_id: web\n"
        #expect(Example.text.components(separatedBy: line).count == 2)
        let text = Example.text.replacing(
            line,
            with: line + "      id_token_signed_response_alg: EdDSA\n"
        )
        let settings = try Self.read(text)
        let missing = settings.missingKeys(beside: [.es256, .rs256])
        #expect(missing.map(\.algorithm) == [.edDSA])
        let spoilt = text.replacing("alg: EdDSA", with: "alg: HS256")
        let findings = #expect(throws: ProjectFindings.self) { try Self.read(spoilt) }
        let place = try #require(missing.first?.setting)
        #expect(
            findings?.lines.first?.hasPrefix("\(place): ") == true,
            "\(String(describing: findings))"
        )
        #expect(settings.missingKeys(beside: [.es256, .edDSA]).isEmpty)
    }

    @Test("clients are named also by a document that this program refuses") func clients() {
        func clients(_ text: String) -> [String] {
            ProjectDocument().clients(in: Array(text.utf8)).map(\.text)
        }
        #expect(clients(Example.text) == ["client_a", "client_b", "web", "api"])
        let refused = Example.text.replacing("name: Example Bank\nhttp", with: "nome: x\nhttp")
        #expect(refused != Example.text)
        #expect(clients(refused) == ["client_a", "client_b", "web", "api"])
        #expect(clients("no: [").isEmpty)
    }

    @Test("so are those that take with them whom they let in") func cascading() {
        let text = Self.minimal("native", "      x_app2app_cascade_revocation: true\nnew: 1")
        let documents = ProjectDocument()
        #expect(documents.cascadingClients(in: Array(text.utf8)).map(\.text) == ["app"])
        let other = Array(Self.minimal("native").utf8)
        #expect(documents.cascadingClients(in: other).isEmpty)
    }

    /// One client of a type, with nothing but what is required.
    ///
    /// That is a secret, too, where `more` does not say how the client proves who it is.
    static func minimal(_ type: String, _ more: String = "") -> String {
        let hasSecret =
            ["confidential", "third_party_app", "m2m"].contains(type)
            && !more.contains("client_secret_sha256") && !more.contains("token_endpoint_auth")
        let secret = hasSecret ? "\n      client_secret_sha256: [\(Example.digest)]" : ""
        return """
            id: bank
            name: Bank
            http: {public_origin: "https://auth.example.com"}
            oauth:
              clients:
                - client_id: app
                  name: App
                  x_application_type: \(type)
                  redirect_uris: ["https://app.example.com/cb"]
            \(more)\(secret)
            """
    }

    @Test("defaults of a document that says only what is required") func defaults() throws {
        let settings = try Self.read(Self.minimal("native"))
        #expect(settings.signingAlgorithm == .es256)
        #expect(settings.codeLifetimeSeconds == 60)
        #expect(settings.requestURILifetimeSeconds == 60)
        #expect(settings.challengeLifetimeSeconds == 300)
        #expect(settings.idTokenLifetimeSeconds == 300)
        #expect(settings.sessionLifetimeSeconds == 2_592_000)
        #expect(settings.sessionIdleSeconds == 604_800)
        #expect(settings.loginLinkLifetimeSeconds == 600)
        #expect(settings.signup == .open)
        #expect(settings.cookiePrefix.isEmpty)
        #expect(settings.cookieDomain == nil)
        #expect(settings.allowedOrigins.isEmpty)
        let client = settings.clients[0]
        #expect(client.enabled)
        #expect(client.accessTokenLifetimeSeconds == 900)
        #expect(client.refreshTokenLifetimeSeconds == 15_552_000)
        #expect(client.refreshTokenIdleSeconds == 2_592_000)
        #expect(client.refreshTokenRotation == .auto)
        #expect(client.refreshTokenGraceSeconds == 30)
        #expect(client.universalLink == ClientSettings.UniversalLink())
        #expect(client.loginLinkApp == client.id)
    }

    struct TypeDefaults: Sendable, CustomTestStringConvertible {
        var testDescription: String { type }
        var type: String
        var method: ClientSettings.AuthenticationMethod
        var pkce: ClientSettings.PKCE
        var asksConsent: Bool
        var hasFullAccess: Bool
    }

    @Test(
        "defaults by application type",
        arguments: [
            TypeDefaults(
                type: "native",
                method: .none,
                pkce: .required,
                asksConsent: false,
                hasFullAccess: true
            ),
            TypeDefaults(
                type: "spa",
                method: .none,
                pkce: .required,
                asksConsent: false,
                hasFullAccess: true
            ),
            TypeDefaults(
                type: "traditional_webapp",
                method: .none,
                pkce: .required,
                asksConsent: false,
                hasFullAccess: true
            ),
            TypeDefaults(
                type: "confidential",
                method: .clientSecretBasic,
                pkce: .challengeOrNonce,
                asksConsent: false,
                hasFullAccess: true
            ),
            TypeDefaults(
                type: "third_party_app",
                method: .clientSecretBasic,
                pkce: .challengeOrNonce,
                asksConsent: true,
                hasFullAccess: false
            ),
        ]
    )
    func byType(_ expected: TypeDefaults) throws {
        let client = try Self.read(Self.minimal(expected.type)).clients[0]
        #expect(client.authenticationMethod == expected.method)
        #expect(client.pkce == expected.pkce)
        #expect(client.consentRequired == expected.asksConsent)
        let scope = "https://authgear.com/scopes/full-access"
        #expect(client.allowedScopes.contains(scope) == expected.hasFullAccess)
        #expect(client.allowedScopes.contains("openid"))
        #expect(!client.allowedScopes.contains("device_sso"))
        #expect(client.grantTypes.prefix(2) == ["authorization_code", "refresh_token"])
    }

    @Test(
        "values that are read as written",
        arguments: [
            ("refresh_token_rotation_enabled: true", "always"),
            ("refresh_token_rotation_enabled: false", "never"),
            ("refresh_token_rotation: always", "always"),
        ]
    )
    func rotation(_ line: String, _ rotation: String) throws {
        let client = try Self.read(Self.minimal("native", "      \(line)")).clients[0]
        #expect(client.refreshTokenRotation.rawValue == rotation)
    }

    @Test("without idle timeout the number does not count") func idle() throws {
        let line = "      refresh_token_idle_timeout_enabled: false"
        #expect(try Self.read(Self.minimal("spa", line)).clients[0].refreshTokenIdleSeconds == nil)
    }

    @Test(
        "require_pkce of confidential clients has three meanings",
        arguments: [
            ("true", ClientSettings.PKCE.required), ("false", .optional),
        ]
    )
    func pkce(_ value: String, _ meaning: ClientSettings.PKCE) throws {
        let document = Self.minimal("confidential", "      require_pkce: \(value)")
        #expect(try Self.read(document).clients[0].pkce == meaning)
    }

    @Test("http is for insecure development, and there for names that stay at home")
    func development() throws {
        let text = Self.minimal("spa").replacing(
            "https://auth.example.com",
            with: "http://bank.localhost:8080"
        ).replacing("https://app.example.com/cb", with: "http://app.localhost:3000/cb")
        #expect(try Self.read(text, insecure: true).publicOrigin == "http://bank.localhost:8080")
        let findings = #expect(throws: ProjectFindings.self) { try Self.read(text) }
        #expect(
            findings?.lines == [
                "http.public_origin: must be https",
                "oauth.clients[0].redirect_uris[0]: scheme http is allowed for 127.0.0.1 and "
                    + "[::1] of native clients only",
            ]
        )
        let outside = text.replacing("bank.localhost:8080", with: "auth.example.com")
        #expect(throws: ProjectFindings.self) { try Self.read(outside, insecure: true) }
    }

    @Test("which top-level keys two documents differ in") func changed() {
        let document = ProjectDocument()
        let old = Array("id: a\nname: A\noauth: {clients: [{x: 1}]}\n".utf8)
        let new = Array("name: \"A\"\nid: a\noauth: {clients: [{x: 2}]}\nhttp: {}\n".utf8)
        #expect(document.changedPaths(from: old, to: new) == ["http", "oauth"])
        #expect(document.changedPaths(from: old, to: old).isEmpty)
        #expect(document.changedPaths(from: nil, to: old) == ["id", "name", "oauth"])
        #expect(document.changedPaths(from: [0xFF], to: old) == ["id", "name", "oauth"])
    }

    @Test("what is checked and does nothing yet is said so") func later() throws {
        let text =
            Self.minimal(
                "native",
                "      backchannel_logout_uri: https://a.example.com/out\n"
            ) + "ssf: {enabled: true, signing_algorithm: ES256, push_hosts: [r.example.com]}\n"
        let document = ProjectDocument()
        let later = try document.warnings(Array(text.utf8)).filter { $0.contains("in force") }
        let paths = later.map { $0.split(separator: ":")[0] }
        #expect(
            paths == [
                "ssf.enabled", "ssf.signing_algorithm", "ssf.push_hosts",
                "oauth.clients[0].backchannel_logout_uri",
            ]
        )
    }

    @Test("what is allowed and yet worth a second look") func warnings() throws {
        let text = Self.minimal(
            "native",
            """
                  x_app2app_enabled: true
                  x_app2app_insecure_device_key_binding_enabled: true
                  x_app2app_allowed_clients: [app]
                  refresh_token_rotation: never
                  dpop_bound_access_tokens: true
                  universal_link: {ios: {enabled: true, bundle_id: com.example}}
            """
        ).replacing("https://app.example.com/cb", with: "myapp:/cb")
        let warnings = try ProjectDocument().warnings(Array(text.utf8))
        let paths = warnings.map { $0.split(separator: ":")[0].split(separator: ".").last ?? "" }
        #expect(
            Set(paths) == [
                "redirect_uris[0]", "refresh_token_rotation", "team_id",
                "x_app2app_allowed_clients[0]",
                "x_app2app_insecure_device_key_binding_enabled",
                "x_login_link_cross_device_approval",
            ]
        )
    }
}
