import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

@Suite("Discovery, keys and link files") struct DocumentRouteTests {
    private static let paths = [
        "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server",
        "/oauth2/jwks", "/.well-known/apple-app-site-association",
        "/.well-known/assetlinks.json",
    ]

    @Test("may be cached, and are not sent again to who has them", arguments: paths)
    func cached(_ path: String) async throws {
        let web = try await WebSide()
        let first = try await web.send(.get, path)
        #expect(first.status == 200)
        #expect(first.field("Content-Type") == ["application/json"])
        #expect(first.field("Cache-Control") == ["public, max-age=300"])
        let tag = try #require(first.field("ETag").first)
        for value in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
            let again = try await web.send(.get, path, headers: ["if-none-match": value])
            #expect(again.status == 304)
            #expect(again.body.isEmpty)
            #expect(again.field("ETag") == [tag])
            #expect(again.field("Cache-Control") == ["public, max-age=300"])
        }
        let other = try await web.send(.get, path, headers: ["if-none-match": "\"x\""])
        #expect(other.status == 200)
        let head = try await web.send(.head, path)
        #expect(head.status == 200)
        #expect(head.field("ETag") == [tag])
    }

    @Test("both metadata paths give the same bytes, in the order of the contract")
    func discovery() async throws {
        let web = try await WebSide()
        let first = try await web.send(.get, Self.paths[0])
        #expect(try await web.send(.get, Self.paths[1]).body == first.body)
        let names = try JSONReader.read(Array(first.body.utf8)).members?.map(\.name)
        #expect(
            names == [
                "issuer", "authorization_endpoint", "token_endpoint", "userinfo_endpoint",
                "jwks_uri", "revocation_endpoint", "introspection_endpoint",
                "end_session_endpoint", "pushed_authorization_request_endpoint",
                "challenge_endpoint", "require_pushed_authorization_requests",
                "response_types_supported", "response_modes_supported",
                "grant_types_supported", "code_challenge_methods_supported",
                "token_endpoint_auth_methods_supported",
                "token_endpoint_auth_signing_alg_values_supported",
                "introspection_endpoint_auth_methods_supported",
                "introspection_endpoint_auth_signing_alg_values_supported",
                "introspection_signing_alg_values_supported",
                "revocation_endpoint_auth_methods_supported",
                "revocation_endpoint_auth_signing_alg_values_supported",
                "dpop_signing_alg_values_supported",
                "id_token_signing_alg_values_supported", "subject_types_supported",
                "scopes_supported", "claims_supported", "acr_values_supported",
                "prompt_values_supported", "ui_locales_supported", "claims_parameter_supported",
                "request_parameter_supported", "request_uri_parameter_supported",
                "authorization_response_iss_parameter_supported", "native_sso_supported",
            ]
        )
        #expect(first["issuer"] == "https://auth.example.com")
        #expect(first["token_endpoint"] == "https://auth.example.com/oauth2/token")
        #expect(first["grant_types_supported"]?.strings == web.side.endpoint.names)
        #expect(first["scopes_supported"]?.strings?.last == "payments.read")
    }

    @Test("says which grant types a client may use, and no others") func grantTypes() async throws {
        func offered(_ change: (inout [ClientSettings]) -> Void) async throws -> [String] {
            let web = try await WebSide()
            var settings = web.side.project.settings
            change(&settings.clients)
            try await web.side.apply(settings)
            let document = try await web.send(.get, Self.paths[0])
            return try #require(document["grant_types_supported"]?.strings)
        }
        let all = try await offered { _ in }
        func short(_ clients: (inout [ClientSettings]) -> Void) async throws -> [String?] {
            let left = try await offered(clients)
            return all.filter { !left.contains($0) }.map { $0.split(separator: ":").last }
                .map { $0.map(String.init) }
        }
        #expect(
            try await short { clients in
                for index in clients.indices { clients[index].app2app = nil }
            } == ["app2app", "app2app-request"]
        )
        #expect(
            try await short { clients in
                for index in clients.indices { clients[index].biometric = nil }
            } == ["biometric-request"]
        )
        #expect(
            try await short { clients in
                for index in clients.indices {
                    clients[index].nativeSSOGroup = nil
                    clients[index].preAuthenticatedURL = nil
                }
            } == ["token-exchange"]
        )
        #expect(
            try await short { clients in
                for index in clients.indices {
                    clients[index].grantTypes.removeAll { $0 == "refresh_token" }
                }
            } == ["refresh_token"]
        )
        // Of those that may use it none is enabled.
        #expect(
            try await short { clients in
                for index in clients.indices where clients[index].applicationType == .m2m {
                    clients[index].enabled = false
                }
            } == ["client_credentials"]
        )
        #expect(try await offered { $0 = [] } == ["authorization_code"])
    }

    /// What is said of shared sessions and of URLs.
    struct Sharing: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var sessions = true
        var urls = true
        var change: @Sendable (inout ClientSettings) -> Void
    }

    private static let sharings = [
        Sharing(testDescription: "everything") { _ in },
        Sharing(testDescription: "the group is disabled", sessions: false) {
            if $0.nativeSSOGroup != nil { $0.enabled = false }
        },
        Sharing(testDescription: "the pages are disabled", urls: false) {
            if $0.opensURLs { $0.enabled = false }
        },
        Sharing(testDescription: "an app asks for URLs of nobody's", urls: false) {
            if $0.applicationType != .native { $0.preAuthenticatedURL = nil }
        },
        Sharing(testDescription: "nobody may exchange", sessions: false, urls: false) {
            $0.grantTypes.removeAll(where: TokenExchangeGrant.names.contains)
        },
    ]

    @Test("says one thing of what apps share", arguments: sharings)
    func sharing(_ row: Sharing) async throws {
        let web = try await WebSide()
        var settings = web.side.project.settings
        settings.cookieDomain = "example.com"
        for index in settings.clients.indices { row.change(&settings.clients[index]) }
        try await web.side.apply(settings)
        let document = try await web.send(.get, Self.paths[0])
        func says(_ member: String, _ word: String) -> Bool {
            document[member]?.strings?.contains { $0.hasSuffix(word) } ?? false
        }
        let shares = row.sessions || row.urls
        #expect((document["native_sso_supported"]?.bool ?? false) == row.sessions)
        #expect(says("response_modes_supported", "cookie") == row.urls)
        #expect(says("response_types_supported", "token") == row.urls)
        #expect(says("scopes_supported", "pre-authenticated-url") == row.urls)
        #expect(says("scopes_supported", "device_sso") == shares)
        #expect(says("grant_types_supported", "token-exchange") == shares)
    }

    @Test("staged, current and previous keys are published, removed and compromised ones not")
    func keys() async throws {
        let side = try await TokenSide()
        let statuses: [SigningKeyRing.Status] = [
            .staged, .current, .previous, .removed,
            .compromised(issuedBefore: side.clock.now),
        ]
        let keys = statuses.enumerated().map { index, status in
            SigningKeyRing.Key(
                kid: "k\(index)",
                algorithm: .es256,
                publicKey: Array(#"{"crv":"P-256","kty":"EC","x":"eA","y":"eQ"}"#.utf8),
                status: status,
                stagedAt: side.clock.now
            )
        }
        let web = try await WebSide(project: Self.project(of: side, keys: keys, version: 5))
        let answer = try await web.send(.get, "/oauth2/jwks")
        let kids = answer["keys"]?.array?.map { $0["kid"]?.string }
        #expect(kids == ["k1", "k0", "k2"])
        let key =
            #"{"kty":"EC","crv":"P-256","x":"eA","y":"eQ","alg":"ES256","use":"sig","kid":"k1"}"#
        #expect(answer.body.hasPrefix(#"{"keys":["# + key))
        let metadata = try await web.send(.get, Self.paths[0])
        #expect(metadata["id_token_signing_alg_values_supported"] == ["ES256"])
    }

    @Test("a changed configuration or key ring changes the documents at once") func rebuilt()
        async throws
    {
        let web = try await WebSide()
        let before = try await web.send(.get, "/oauth2/jwks")
        let key = SigningKeyRing.Key(
            kid: "new",
            algorithm: .es256,
            publicKey: Array(#"{"kty":"EC"}"#.utf8),
            status: .current,
            stagedAt: web.side.clock.now
        )
        web.side.projects.replace(Self.project(of: web.side, keys: [key], version: 2))
        let after = try await web.send(.get, "/oauth2/jwks")
        #expect(before.field("ETag") != after.field("ETag"))
        #expect(after["keys"]?.array?.count == 1)
        // After a failover, which has lost that version and made another.
        web.side.projects.replace(Self.project(of: web.side, keys: [], version: 2, server: 1))
        #expect(try await web.send(.get, "/oauth2/jwks")["keys"]?.array?.isEmpty ?? false)
    }

    @Test("link files name the apps of enabled clients, by client id") func linkFiles()
        async throws
    {
        let side = try await TokenSide()
        var settings = side.project.settings
        settings.clients = try ["zoo", "app", "off", "bare"].map { name in
            var client = ClientSettings(
                id: try Fixture.some(ClientID(name)),
                name: name,
                applicationType: .native
            )
            client.enabled = name != "off"
            client.universalLink = .init(
                iosAppID: name == "bare" ? nil : "A1B2C3D4E5.com.example.\(name)",
                androidPackage: "com.example.\(name)",
                androidFingerprints: name == "bare" ? [] : ["14:6D"]
            )
            return client
        }
        let web = try await WebSide(
            project: Self.project(of: side, settings: settings, keys: [], version: 1)
        )
        let apple = try await web.send(.get, "/.well-known/apple-app-site-association")
        #expect(
            apple.body == #"{"applinks":{"details":[{"appID":"A1B2C3D4E5.com.example.app","#
                + #""paths":["/clients/app/flows/verify_login_link"]},"#
                + #"{"appID":"A1B2C3D4E5.com.example.zoo","#
                + #""paths":["/clients/zoo/flows/verify_login_link"]}]}}"#
        )
        let android = try await web.send(.get, "/.well-known/assetlinks.json")
        let first =
            #"[{"relation":["delegate_permission/common.handle_all_urls"],"target":{"#
            + #""namespace":"android_app","package_name":"com.example.app","#
            + #""sha256_cert_fingerprints":["14:6D"]}}"#
        #expect(android.body.hasPrefix(first))
        // No phone finds an app without fingerprint to be the one that is named.
        #expect(!android.body.contains("bare"))
    }

    static func project(
        of side: TokenSide,
        settings: ProjectSettings? = nil,
        keys: [SigningKeyRing.Key],
        version: Int32,
        server: Int = 0
    ) -> Project {
        var configuration = side.project.configuration
        configuration.server = server
        return Project(
            number: side.project.number,
            settings: settings ?? side.project.settings,
            digest: side.project.digest,
            configuration: configuration,
            keys: SigningKeyRing.State(keys: keys),
            keysStream: side.project.keysStream,
            keysVersion: version
        )
    }
}
