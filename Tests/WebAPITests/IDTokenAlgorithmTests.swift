import Crypto
import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// `id_token_signed_response_alg` beside another algorithm of the project (WireContract 3.2 and
/// 8.5).
@Suite("The algorithm of a client's ID tokens") struct IDTokenAlgorithmTests {
    /// The project signs by ES256, `app` has ID tokens by EdDSA and `offers` by RS256.
    private static func side() async throws -> WebSide {
        let keys = try RealKeys(and: [.edDSA, .rs256])
        let web = try await WebSide(signer: keys.signer, keys: keys.ring)
        var settings = web.side.project.settings
        for index in settings.clients.indices {
            switch settings.clients[index].id.text {
            case "app": settings.clients[index].idTokenAlgorithm = .edDSA
            case "offers": settings.clients[index].idTokenAlgorithm = .rs256
            default: break
            }
        }
        try await web.side.apply(settings)
        return web
    }

    private static func part(_ index: Int, of token: JSON?) throws -> JSON {
        let text = try #require(token?.string)
        let parts = text.utf8.split(separator: UInt8(ascii: "."))
        return try JSONReader.read(try #require(Base64URL.decode(Array(parts[index])[...])))
    }

    private static func algorithm(_ token: JSON?) throws -> String? {
        try part(0, of: token)["alg"]?.string
    }

    /// The left half of the hash that EdDSA goes with (OpenID Connect Core 3.1.3.6).
    private static func half(_ token: JSON?) throws -> String {
        let hash = SHA512.hash(Array(try #require(token?.string).utf8))
        return Base64URL.text(Array(hash.prefix(32)))
    }

    @Test("signs those beside an access token, whose hash is of that algorithm, too")
    func besideAccessToken() async throws {
        let web = try await Self.side()
        let first = try await PreAuthenticatedURLTests.session(web)
        let token = first["refresh_token"]?.string
        let second = try await NativeSSOTests.refresh(web, token, client: "app")
        for answer in [first, second] {
            #expect(answer.status == 200, "\(answer.body)")
            #expect(try Self.algorithm(answer["access_token"]) == "ES256")
            #expect(try Self.algorithm(answer["id_token"]) == "EdDSA")
            let hash = try Self.part(1, of: answer["id_token"])["at_hash"]?.string
            #expect(try hash == Self.half(answer["access_token"]))
        }
    }

    @Test("signs those of the id-token grant, and of a URL by the algorithm of who shows it")
    func alone() async throws {
        let web = try await Self.side()
        let session = try await PreAuthenticatedURLTests.session(web)
        let token = try #require(session["access_token"]?.string)
        let fresh = try await web.post(
            "/oauth2/token",
            "grant_type=urn:authgear:params:oauth:grant-type:id-token&client_id=app",
            ["authorization": "Bearer \(token)"]
        )
        #expect(try Self.algorithm(fresh["id_token"]) == "EdDSA", "\(fresh.body)")
        let exchanged = try await PreAuthenticatedURLTests.exchange(web, session)
        #expect(try Self.algorithm(exchanged["id_token"]) == "RS256", "\(exchanged.body)")
        for answer in [fresh, exchanged] {
            #expect(try Self.part(1, of: answer["id_token"])["at_hash"] == nil)
        }
    }
}
