import Crypto
import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Device secrets that were born under a key (WireContract 5.7, Security 4.9).
@Suite("Device secrets born under a key") struct DeviceSecretKeyTests {
    private static func exchange(_ web: WebSide, _ session: Answer, proof: String? = nil)
        async throws -> Answer
    {
        var form = try NativeSSOTests.form(session, client: "offers")
        form.append(
            (
                "requested_token_type",
                "urn:authgear:params:oauth:token-type:pre-authenticated-url-token"
            )
        )
        let text = form.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
        return try await web.post("/oauth2/token", text, proof.map { ["dpop": $0] } ?? [:])
    }

    @Test("attack: a stolen one opens no URL without its key") func stolen() async throws {
        let web = try await WebSide()
        let phone = try Phone()
        let session = try await DPoPTests.redeem(
            web,
            proof: try DPoPTests.proof(phone, "a"),
            scope: PreAuthenticatedURLTests.scope
        )
        #expect(session.status == 200)
        let commits = web.commits
        #expect(try await Self.exchange(web, session).error == "invalid_dpop_proof")
        let foreign = try DPoPTests.proof(Phone(), "b")
        let other = try await Self.exchange(web, session, proof: foreign)
        #expect(other.error == "invalid_dpop_proof")
        let used = try DPoPTests.proof(phone, "a")
        #expect(try await Self.exchange(web, session, proof: used).error == "invalid_dpop_proof")
        #expect(web.commits == commits)
        let own = try await Self.exchange(web, session, proof: DPoPTests.proof(phone, "c"))
        #expect(own.status == 200)
        // Its successor is born under the same key, whoever asks.
        #expect(try await Self.exchange(web, own).error == "invalid_dpop_proof")
        let next = try await Self.exchange(web, own, proof: DPoPTests.proof(phone, "d"))
        #expect(next.status == 200)
        // Other apps have other keys: Native SSO needs none of this one.
        #expect(try await NativeSSOTests.send(web, try NativeSSOTests.form(next)).status == 200)
    }
}
