/// Logins by a biometric key, each of which ends the key's former session.
extension Bench {
    private static let purpose = "biometric_request"
    private static let scope = "openid offline_access https://authgear.com/scopes/full-access"
    /// The app that is let in.
    private static let target = "invest"

    func biometricLogins(of users: [Seeds.Session]) async throws {
        let keys = try PhoneKey.some(Self.sessionsPerGrant)
        let tokens = try await logins(of: users, scope: Self.scope)
            .map { try Wire.text("access_token", of: $0) }
        let first = try await challenges(keys.count, for: Self.purpose)
        let setups = try keys.indices.map { number in
            let jwt = try keys[number].biometric(first[number], action: "setup")
            return Self.request(jwt, authorization: "Bearer \(tokens[number])")
        }
        _ = try await answers(to: setups)
        // A new key is told to its user.
        let log = try await LogQueries(stack, on: loop)
        defer { log.stop() }
        try await log.dropMails()
        // So that each login has a former session to end, as all but the first have.
        _ = try await answers(to: try await authentications(keys.count, by: keys))
        try await grant(
            "biometric authenticate",
            signatures: 2,
            verifications: 1,
            answering: "refresh_token"
        ) { Self.once(try await authentications(requestsPerRun, by: keys)) }
        try await grant(
            "biometric authenticate_app2app",
            signatures: 2,
            verifications: 1,
            answering: "code"
        ) { Self.once(try await approvals(requestsPerRun, by: keys)) }
    }

    private func authentications(_ count: Int, by keys: [PhoneKey]) async throws -> [[UInt8]] {
        try await signed(count, by: keys) { key, challenge in
            Self.request(try key.biometric(challenge, action: "authenticate"))
        }
    }

    /// Logins that let another app in: a code goes out beside the tokens.
    private func approvals(_ count: Int, by keys: [PhoneKey]) async throws -> [[UInt8]] {
        try await signed(count, by: keys) { key, challenge in
            let jwt = try key.biometric(
                challenge,
                action: "authenticate_app2app",
                #","client_id":"\#(Self.target)""#
            )
            let form = """
                &redirect_uri=com.example.\(Self.target):/cb&code_challenge=\(Seeds.codeChallenge)
                """
            return Self.request(jwt, more: form)
        }
    }

    /// Requests over challenges that nobody has answered yet, by the keys in turn.
    private func signed(
        _ count: Int,
        by keys: [PhoneKey],
        _ request: (PhoneKey, _ challenge: [UInt8]) throws -> [UInt8]
    ) async throws -> [[UInt8]] {
        try await challenges(count, for: Self.purpose).enumerated()
            .map { try request(keys[$0 % keys.count], $1) }
    }

    /// `more`: further parameters, each with its ampersand.
    private static func request(_ jwt: String, more: String = "", authorization: String? = nil)
        -> [UInt8]
    {
        Wire.grant(
            "urn:authgear:params:oauth:grant-type:biometric-request",
            "client_id=app&jwt=\(jwt)\(more)",
            authorization: authorization
        )
    }
}
