/// A refresh whose token is bound to a key that the request proves (RFC 9449).
extension Bench {
    func provenRefreshes(of users: [Seeds.Session]) async throws {
        let path = "/oauth2/token"
        let keys = try PhoneKey.some(Self.sessionsPerGrant)
        let tokens = try await logins(of: users, scope: Self.plainScope) { number, code in
            Wire.redeem(code, proof: try keys[number].proof(for: path))
        }.map { try Wire.required("refresh_token", of: $0) }
        try await grant(
            "refresh with a DPoP proof",
            signatures: 1,
            verifications: 1,
            bar: 1.15,
            answering: "access_token"
        ) {
            let requests = try (0..<requestsPerRun).map { number in
                let session = number % keys.count
                return Wire.refresh(tokens[session], proof: try keys[session].proof(for: path))
            }
            return Self.once(requests)
        }
    }
}
