import Crypto
import Domain
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// What the `fapi2` profile asks of a client beyond others (wire.md section 3.2).
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
}
