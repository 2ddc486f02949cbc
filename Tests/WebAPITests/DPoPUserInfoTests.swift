import Crypto
import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Bound access tokens at resources (RFC 9449 section 7, WireContract 9.1).
@Suite("DPoP at userinfo") struct DPoPUserInfoTests {
    @Test("userinfo takes a bound token only as DPoP, with ath, and each proof once")
    func userinfo() async throws {
        let web = try await DPoPTests.bound(.bound)
        let phone = try Phone()
        let opened = try await DPoPTests.redeem(web, proof: DPoPTests.proof(phone, "1"))
        let token = try #require(opened["access_token"]?.string)
        let url = "https://auth.example.com/oauth2/userinfo"
        let hash = Base64URL.text(web.side.digester.sha256(Array(token.utf8)).bytes)

        func ask(_ scheme: String, _ proof: String?) async throws -> Answer {
            let headers: KeyValuePairs<String, String> =
                if let proof {
                    ["authorization": "\(scheme) \(token)", "dpop": proof]
                } else {
                    ["authorization": "\(scheme) \(token)"]
                }
            return try await web.send(.get, "/oauth2/userinfo", headers: headers)
        }
        func proof(_ id: String, by phone: Phone, ath: String?) throws -> String {
            let payload = DPoPTests.payload(id, at: url, method: "GET")
            return try phone.jwt(
                phone.header("dpop+jwt"),
                payload.setting("ath", ath.map { .string($0) })
            )
        }

        let bearer = try await ask("Bearer", proof("a", by: phone, ath: hash))
        #expect(bearer.status == 401 && bearer.error == "invalid_token")
        let missing = try await ask("DPoP", nil)
        #expect(missing.status == 401 && missing.error == "invalid_dpop_proof")
        #expect(
            missing.field("WWW-Authenticate") == [
                "DPoP error=\"invalid_dpop_proof\", algs=\"ES256 RS256 EdDSA\""
            ]
        )
        let unhashed = try await ask("DPoP", proof("b", by: phone, ath: nil))
        #expect(unhashed.error == "invalid_dpop_proof")
        let foreign = try await ask("DPoP", proof("c", by: Phone(), ath: hash))
        #expect(foreign.error == "invalid_dpop_proof")
        let good = try proof("d", by: phone, ath: hash)
        #expect(try await ask("dpop", good).status == 200)
        let replay = try await ask("DPoP", good)
        #expect(replay.status == 401 && replay.error == "invalid_dpop_proof")
    }

    @Test("HEAD is proven by a proof for HEAD, not by one for GET") func head() async throws {
        let web = try await DPoPTests.bound(.bound)
        let phone = try Phone()
        let opened = try await DPoPTests.redeem(web, proof: DPoPTests.proof(phone, "1"))
        let token = try #require(opened["access_token"]?.string)
        let url = "https://auth.example.com/oauth2/userinfo"
        let hash = Base64URL.text(web.side.digester.sha256(Array(token.utf8)).bytes)
        for (method, status) in [("HEAD", 200), ("GET", 401)] {
            let payload = DPoPTests.payload(method, at: url, method: method)
            let proof = try phone.jwt(
                phone.header("dpop+jwt"),
                payload.setting("ath", .string(hash))
            )
            let answer = try await web.send(
                .head,
                "/oauth2/userinfo",
                headers: ["authorization": "DPoP \(token)", "dpop": proof]
            )
            #expect(answer.status == status, "a proof for \(method)")
        }
    }

    @Test("an unbound token as Bearer is taken whatever the header says, as DPoP it is not")
    func unbound() async throws {
        let web = try await WebSide()
        let opened = try await DPoPTests.redeem(web)
        let token = try #require(opened["access_token"]?.string)
        let bearer = try await web.send(
            .get,
            "/oauth2/userinfo",
            headers: ["authorization": "Bearer \(token)", "dpop": "nonsense"]
        )
        #expect(bearer.status == 200)
        let dpop = try await web.send(
            .get,
            "/oauth2/userinfo",
            headers: ["authorization": "DPoP \(token)"]
        )
        #expect(dpop.error == "invalid_token")
    }
}
