import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Two `DPoP` headers at once, where the token endpoint is not what reads them (decision 0088).
@Suite("Two proofs at once") struct ProofPairTests {
    /// Two good proofs for a route.
    private static func pair(_ path: String) throws -> [String] {
        let phone = try Phone()
        return try ["1", "2"].map { id in
            let payload = DPoPTests.payload(id, at: "https://auth.example.com\(path)")
            return try phone.jwt(phone.header("dpop+jwt"), payload)
        }
    }

    @Test("a request that is pushed is refused, and each of them alone is good") func pushed()
        async throws
    {
        let web = try await WebSide()
        let proofs = try Self.pair("/oauth2/par")
        let answer = try await web.expectNothingRecorded {
            try await PushedRequestTests.push(web, [:], ["dpop": proofs[0], "dpop": proofs[1]])
        }
        #expect(answer.word == "400 invalid_dpop_proof")
        for proof in proofs {
            #expect(try await PushedRequestTests.push(web, [:], ["dpop": proof]).status == 201)
        }
    }

    @Test("no token for a browser is given, and each of them alone is good") func appSession()
        async throws
    {
        let web = try await WebSide()
        let (refresh, _) = try await AppSessionTokenTests.tokens(web)
        let proofs = try Self.pair(AppSessionTokenTests.path)
        let both: KeyValuePairs = ["dpop": proofs[0], "dpop": proofs[1]]
        let answer = try await web.expectNothingRecorded {
            try await AppSessionTokenTests.ask(web, refresh, both)
        }
        #expect(answer.word == "403 InvalidDPoPKeyBinding", "\(answer.body)")
        for proof in proofs {
            let alone = try await AppSessionTokenTests.ask(web, refresh, ["dpop": proof])
            #expect(alone.status == 200, "\(alone.body)")
        }
    }
}
