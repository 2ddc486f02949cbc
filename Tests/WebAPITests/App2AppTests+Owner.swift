import Crypto
import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

extension App2AppTests {
    /// An owner's session, perhaps with a device key.
    struct Owner {
        let web: WebSide
        let phone: Phone
        let refreshToken: String
        let challenge: String

        init(
            _ web: WebSide,
            bound: Bool = true,
            scope: String = "openid offline_access",
            approval: LoginLink.Approval? = nil
        ) async throws {
            self.web = web
            phone = try Phone()
            let payload = DeviceKeyTests.payload(web)
            let jwt = bound ? try phone.jwt(phone.header(), payload) : nil
            let code = try await web.side.code(scope: scope, approval: approval)
            let answer = try await DeviceKeyTests.redeem(web, code: code, jwt: jwt)
            refreshToken = try #require(answer["refresh_token"]?.string)
            challenge = Self.challenge(web)
        }

        /// The owner of a session that was opened otherwise, with this phone's device key.
        init(_ web: WebSide, _ phone: Phone, refreshToken: String) {
            self.web = web
            self.phone = phone
            self.refreshToken = refreshToken
            challenge = Self.challenge(web)
        }

        private static func challenge(_ web: WebSide) -> String {
            Base64URL.text(web.side.digester.sha256(Array(TokenSide.verifier.utf8)).bytes)
        }

        var session: SessionID? {
            RefreshToken(reading: Array(refreshToken.utf8), digester: web.side.digester)?.session
        }

        /// A JWT with everything right.
        func jwt(_ change: (Members) -> Members = { $0 }) throws -> String {
            try phone.jwt(phone.header(), change(DeviceKeyTests.payload(web)))
        }

        /// Asks for a code with everything right but what is given.
        func approve(
            _ jwt: String,
            _ changes: [String: String] = [:],
            proof: String? = nil
        ) async throws -> Answer {
            var fields = [
                "grant_type": App2AppTests.grant, "client_id": "other",
                "refresh_token": refreshToken, "jwt": jwt,
                "redirect_uri": TokenSide.redirectURI, "code_challenge": challenge,
            ]
            fields.merge(changes) { $1 }
            let form = fields.filter { !$0.value.isEmpty }.map { "\($0)=\($1)" }
            let headers: KeyValuePairs<String, String> = proof.map { ["dpop": $0] } ?? [:]
            return try await web.post("/oauth2/token", form.joined(separator: "&"), headers)
        }

        func redeem(_ code: String) async throws -> Answer {
            try await DeviceKeyTests.redeem(web, code: code, jwt: nil, client: "other")
        }
    }
}
