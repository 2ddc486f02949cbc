import Crypto
import Domain
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// What the `fapi2` profile asks of a client beyond others (WireContract 3.2).
@Suite("A client of the FAPI profile") struct FAPIClientTests {
    @Test("proves nothing by RS256") func profile() async throws {
        let web = try await WebSide()
        var settings = web.side.project.settings
        settings.clients[0].isFAPI = true
        try await web.side.apply(settings)
        let refused = try await DPoPTests.redeem(web, proof: DPoPTests.proof(Phone(.rs256), "1"))
        #expect(refused.error == "invalid_dpop_proof", "\(refused.body)")
        let taken = try await DPoPTests.redeem(web, proof: DPoPTests.proof(Phone(.edDSA), "2"))
        #expect(taken.status == 200, "\(taken.body)")
    }

    @Test(
        "pushes a redirect URI, though it has only one, and asks for codes alone",
        arguments: [
            (["redirect_uri": ""], "invalid_request"),
            (["response_type": "none"], "unsupported_response_type"), ([:], nil),
        ] as [([String: String], String?)]
    )
    func pushes(_ changes: [String: String], _ error: String?) async throws {
        let web = try await WebSide()
        #expect(try await PushedRequestTests.push(web, changes).status == 201)
        var settings = web.side.project.settings
        settings.clients[0].isFAPI = true
        try await web.side.apply(settings)
        let answer = try await PushedRequestTests.push(web, changes)
        #expect(answer.status == (error == nil ? 201 : 400))
        #expect(answer.error == error)
    }

    @Test("shows no proof that is valid in more than a minute", arguments: [60, 61])
    func ahead(_ seconds: Int64) async throws {
        let web = try await DPoPTests.bound(.bound)
        let phone = try Phone()
        let start = JSON.integer(DPoPTests.now + seconds)
        let payload = DPoPTests.payload("1").setting("nbf", start)
        let proof = try phone.jwt(phone.header("dpop+jwt"), payload)
        let answer = try await DPoPTests.redeem(web, proof: proof)
        #expect(answer.error == (seconds > 60 ? "invalid_dpop_proof" : nil), "\(answer.body)")
    }
}
