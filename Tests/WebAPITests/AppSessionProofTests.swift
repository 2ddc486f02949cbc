import Domain
import OAuth
import TestSupport
import Testing

/// Proofs beside a refresh token that is shown (wire.md sections 6.4 and 9.6).
@Suite("Proofs for an app-session token") struct AppSessionProofTests {
    private static func proof(_ phone: Phone) throws -> String {
        let target = "https://auth.example.com\(AppSessionTokenTests.path)"
        return try phone.jwt(phone.header("dpop+jwt"), DPoPTests.payload("p", at: target))
    }

    @Test("attack: the places of all, filled by proofs of keys that cost nothing") func unbound()
        async throws
    {
        let web = try await WebSide()
        let refresh = try await AppSessionTokenTests.tokens(web).refresh
        let proof = try Self.proof(try Phone())
        // None is remembered: the same one again is as good, and keeps nobody's place.
        for _ in 1...2 {
            let answer = try await AppSessionTokenTests.ask(web, refresh, ["dpop": proof])
            #expect(answer.status == 200)
        }
    }

    @Test("attack: a proof beside a bound token, once more") func replayed() async throws {
        let web = try await WebSide()
        try await BiometricTests.User.allowFullAccess(web)
        let phone = try Phone()
        let born = try await DPoPTests.redeem(
            web,
            proof: try DPoPTests.proof(phone, "a"),
            scope: AppSessionTokenTests.scope
        )
        let refresh = try #require(born["refresh_token"]?.string)
        let proof = try Self.proof(phone)
        let first = try await AppSessionTokenTests.ask(web, refresh, ["dpop": proof])
        #expect(first.status == 200)
        let second = try await AppSessionTokenTests.ask(web, refresh, ["dpop": proof])
        #expect(second["error"]?["reason"] == "InvalidDPoPKeyBinding")
    }
}
