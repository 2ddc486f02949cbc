/// An authorization request that comes ahead of its browser (RFC 9126).
extension Bench {
    func pushedRequests() async throws {
        let form = """
            client_id=app&response_type=code&redirect_uri=\(Seeds.redirectURI)\
            &scope=openid%20offline_access&state=xyz&code_challenge=\(Seeds.codeChallenge)\
            &code_challenge_method=S256
            """
        let request = Wire.post("/oauth2/par", Array(form.utf8))
        try await grant(
            "PAR",
            signatures: 0,
            verifications: 0,
            answering: "request_uri",
            status: 201
        ) { Self.inTurn([request]) }
    }
}
