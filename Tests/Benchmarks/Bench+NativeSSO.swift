/// A second app of the vendor that shares the first one's session.
extension Bench {
    func nativeSSO(of users: [Seeds.Session]) async throws {
        let scope = "openid offline_access device_sso"
        let requests = try await logins(of: users, scope: scope).map { login in
            try Wire.exchange(
                login,
                "client_id=invest&audience=\(Stack.origin)"
            )
        }
        // So that the app is in each session already, as it is but for the first time.
        _ = try await answers(to: requests)
        try await grant(
            "token exchange, native SSO",
            signatures: 2,
            verifications: 1,
            answering: "refresh_token"
        ) { Self.inTurn(requests) }
    }
}

extension Wire {
    /// An exchange of the id token and the device secret of an answer.
    static func exchange(_ answer: ArraySlice<UInt8>, _ form: String) throws -> [UInt8] {
        grant(
            "urn:ietf:params:oauth:grant-type:token-exchange",
            """
            \(form)&subject_token=\(try text("id_token", of: answer))\
            &subject_token_type=urn:ietf:params:oauth:token-type:id_token\
            &actor_token=\(try text("device_secret", of: answer))\
            &actor_token_type=urn:x-oath:params:oauth:token-type:device-secret
            """
        )
    }
}
