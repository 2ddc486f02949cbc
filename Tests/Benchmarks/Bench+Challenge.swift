/// The line about `POST /oauth2/challenge`.
extension Bench {
    func challenges() async throws {
        let runs = try await measured(answering: "token") {
            Self.inTurn([Wire.challenge(for: "app2app_request")])
        }
        report.line("challenge", runs, floors: constantPost, bar: 1.3)
    }
}
