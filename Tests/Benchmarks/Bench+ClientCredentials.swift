/// A token for a service, which proves itself with its secret.
extension Bench {
    func clientCredentials() async throws {
        let request = Wire.grant(
            "client_credentials",
            "scope=revocations.read",
            authorization: Wire.basic("api", Stack.secret)
        )
        try await grant(
            "client_credentials",
            signatures: 1,
            verifications: 0,
            answering: "access_token"
        ) { Self.inTurn([request]) }
    }
}
