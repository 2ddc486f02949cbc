/// The line about `POST /oauth2/challenge`.
extension Bench {
    func challenges() async throws {
        try await line("challenge", [Wire.challenge(for: "app2app_request")], bar: 1.3) {
            try await self.constant(Self.constantPost)
        }
    }
}
