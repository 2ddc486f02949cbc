import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

@Suite("The keys of a project") struct KeySetTests {
    @Test(
        "the key that signs access tokens is published first, then the others of its algorithm",
        arguments: [
            (SigningKeyRing.Algorithm.es256, ["k2", "k1", "k5", "k0", "k3", "k4"]),
            (.rs256, ["k3", "k0", "k1", "k2", "k4", "k5"]),
        ]
    )
    func firstKey(_ algorithm: SigningKeyRing.Algorithm, _ kids: [String]) async throws {
        let side = try await TokenSide()
        let ring: [(SigningKeyRing.Algorithm, SigningKeyRing.Status)] = [
            (.rs256, .staged), (.es256, .previous), (.es256, .current), (.rs256, .current),
            (.edDSA, .current), (.es256, .staged),
        ]
        let keys = ring.enumerated().map { index, key in
            SigningKeyRing.Key(
                kid: "k\(index)",
                algorithm: key.0,
                publicKey: Array(#"{"kty":"EC"}"#.utf8),
                status: key.1,
                stagedAt: side.clock.now
            )
        }
        var settings = side.project.settings
        settings.signingAlgorithm = algorithm
        let project = DocumentRouteTests.project(
            of: side,
            settings: settings,
            keys: keys,
            version: 5
        )
        let answer = try await WebSide(project: project).send(.get, "/oauth2/jwks")
        #expect(answer["keys"]?.array?.compactMap { $0["kid"]?.string } == kids)
    }
}
