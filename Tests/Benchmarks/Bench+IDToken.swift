/// A fresh id token for the holder of an access token.
///
/// A token that comes again, as here after its first time, is known by its digest (decision 0104):
/// nothing is verified.
extension Bench {
    func idTokens(of users: [Seeds.Session]) async throws {
        let requests = try await logins(of: users, scope: "openid offline_access").map { login in
            Wire.grant(
                "urn:authgear:params:oauth:grant-type:id-token",
                "client_id=app",
                authorization: "Bearer \(try Wire.text("access_token", of: login))"
            )
        }
        try await grant("id-token", signatures: 1, verifications: 0, answering: "id_token") {
            Self.inTurn(requests)
        }
    }
}
