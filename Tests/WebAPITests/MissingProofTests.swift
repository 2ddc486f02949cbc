import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// What a client hears that left something out which proves it (WireContract 1.1 and 6.4).
@Suite("Proofs that are missing") struct MissingProofTests {
    private static let missing = "a proof is missing: send one in the DPoP header"
    private static let other = "the proof is by another key"

    /// A grant type without what it needs, and what the answer names.
    private static let forms = [
        ("refresh_token", "", "refresh_token is missing"),
        ("authorization_code", "", "code is missing"),
        (
            "urn:authgear:params:oauth:grant-type:app2app-request", "&refresh_token=rt_x",
            "jwt is missing: send a challenge that the device's key has signed"
        ),
        (
            "urn:authgear:params:oauth:grant-type:biometric-request", "",
            "jwt is missing: send a challenge that the device's key has signed"
        ),
        (
            "urn:ietf:params:oauth:grant-type:token-exchange",
            "&subject_token=x&subject_token_type=urn:ietf:params:oauth:token-type:id_token",
            "actor_token is missing: send the device secret"
        ),
    ]

    @Test("a parameter that is missing is named", arguments: forms)
    func parameter(_ type: String, _ more: String, _ sentence: String) async throws {
        let web = try await WebSide()
        let answer = try await web.expectNothingRecorded {
            try await web.post("/oauth2/token", "grant_type=\(type)&client_id=app\(more)")
        }
        #expect(answer.status == 400 && answer.error == "invalid_request", "\(answer.body)")
        #expect(answer["error_description"]?.string == sentence)
    }

    @Test("a refresh token that is bound says whether a proof is missing or another's")
    func refresh() async throws {
        let web = try await WebSide()
        let opened = try await DPoPTests.redeem(web, proof: DPoPTests.proof(Phone(), "0"))
        let token = try #require(opened["refresh_token"]?.string)
        let none = try await DPoPTests.refresh(web, token)
        #expect(none.status == 400 && none.error == "invalid_dpop_proof")
        #expect(none["error_description"]?.string == Self.missing)
        let stolen = try DPoPTests.proof(Phone(), "1")
        let another = try await DPoPTests.refresh(web, token, ["dpop": stolen])
        #expect(another.status == 400 && another.error == "invalid_dpop_proof")
        #expect(another["error_description"]?.string == Self.other)
    }

    @Test("a client whose access tokens are bound is told to send a proof") func bound()
        async throws
    {
        let answer = try await DPoPTests.redeem(DPoPTests.bound(.bound))
        #expect(answer.status == 400 && answer.error == "invalid_dpop_proof")
        #expect(answer["error_description"]?.string == Self.missing)
    }

    @Test("a bound access token says what is missing beside it") func resource() async throws {
        let holder = try await DPoPResourceTests.Holder()
        let path = "/oauth2/userinfo"
        for (scheme, sentence) in [
            ("DPoP", Self.missing),
            ("Bearer", "the access token is bound: send it as DPoP, with a proof"),
        ] {
            let answer = try await holder.web.send(
                .get,
                path,
                headers: ["authorization": "\(scheme) \(holder.token)"]
            )
            #expect(answer.status == 401)
            #expect(answer["error_description"]?.string == sentence)
        }
    }
}
