import Crypto
import Domain
import InMemory
import Issuing
import OAuth
import Signing
import TestSupport
import Testing
import WebAPI

/// Whose proofs take a place in a projector's memory (decisions 0117 and 0148).
@Suite("Places of proofs at the revocation feed") struct FeedProofPlacesTests {
    /// A feed that keeps one proof of each client.
    private struct Side {
        let web: FeedSide

        init() async throws { web = try await FeedSide(memory: SeenProofs(perHolderMax: 1)) }

        /// Asks with a new proof, and by a token that is bound to its key.
        func ask(
            _ phone: Phone,
            _ id: String,
            _ scope: String = "revocations.read",
            for audience: [String] = ["https://auth.example.com"],
            of client: String = "api"
        ) async throws -> String {
            let bare = try phone.jwt(phone.header("dpop+jwt"), DPoPTests.payload("key"))
            let key = try Fixture.some(PhoneJWTReader().open(Array(bare.utf8), as: .dpop).key)
            let token = try web.token(
                scope,
                for: audience,
                boundTo: key.thumbprint,
                client: client
            )
            let hash = web.side.digester.sha256(Array(token.utf8)).bytes
            let url = "https://auth.example.com/revocations"
            let payload = DPoPTests.payload(id, at: url, method: "GET")
                .setting("ath", .string(Base64URL.text(hash)))
            let proof = try phone.jwt(phone.header("dpop+jwt"), payload)
            return try await web.get(authorization: "DPoP \(token)", proof: proof).word
        }
    }

    @Test("attack: who may not read takes no place, however good the proof")
    func strangers() async throws {
        let side = try await Side()
        let phone = try Phone()
        let elsewhere = ["https://api.example.com"]
        #expect(try await side.ask(phone, "1", for: elsewhere) == "401 invalid_token")
        #expect(try await side.ask(phone, "2", "openid") == "403 insufficient_scope")
        #expect(try await side.ask(phone, "3") == "200")
    }

    @Test("attack: a client has its places, however many keys it shows; another has its own")
    func keys() async throws {
        let side = try await Side()
        #expect(try await side.ask(Phone(), "1") == "200")
        #expect(try await side.ask(Phone(), "2") == "429 x_rate_limited")
        #expect(try await side.ask(Phone(), "3", of: "web-api") == "200")
    }
}
