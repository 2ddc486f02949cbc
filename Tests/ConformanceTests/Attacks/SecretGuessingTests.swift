import Foundation
import TestSupport
import Testing

/// Who guesses the secret of a client (Security 4.1 and L9).
@Suite("Guessing of secrets", .timeLimit(.minutes(3))) struct SecretGuessingTests {
    private static let secret = "the-secret-of-a-teller"
    /// SHA-256 of it.
    private static let digest = "dce41114dc9a6a7d995a64aff20a8c9153a9768c410b8fd2386067b945816be5"

    /// With a service that has a secret.
    private static func project() async throws -> TestProject {
        let project = try await TestProject.named("guessed")
        let teller = """
                - client_id: teller
                  name: A service with a secret
                  x_application_type: m2m
                  resources: ["\(project.site.origin)"]
                  client_secret_sha256: ["\(digest)"]

            """
        let next = "    - client_id: service\n"
        try await project.change(next, to: teller + next)
        return project
    }

    private static func asking(with secret: String) -> WireRequest {
        let credentials = Data("teller:\(secret)".utf8).base64EncodedString()
        return WireRequest(
            "POST",
            "/oauth2/token",
            [("Authorization", "Basic \(credentials)")],
            SignIn.form([("grant_type", "client_credentials")])
        )
    }

    @Test("attack: secret guessing: it is slowed down at every endpoint, and leaves nothing")
    func guessing() async throws {
        let project = try await Self.project()
        let site = project.site
        let issuer = try await IssuerProcess(
            beside: project.stack,
            named: "guessed",
            // In development a hundred times as many are let through.
            ["CHANCERY__RATE_LIMITS__PER_MINUTE__FAILED_CLIENT_AUTHENTICATION": "1"]
        )
        defer { issuer.stop() }
        var attacker = Browser(site.origin, at: [issuer.origin])
        func send(_ request: WireRequest) async throws -> WireAnswer {
            try await attacker.send(
                request.method,
                request.target,
                headers: request.headers,
                body: request.body
            )
        }
        let race = try Race(at: project)
        let guesses = (0..<200).map { number in
            var guess = Self.asking(with: "guess-\(number)")
            guess.target = ["/oauth2/token", "/oauth2/introspect", "/oauth2/revoke"][number % 3]
            guess.body += "&token=no"
            return guess
        }
        let answers = try await race.run(guesses, atOnce: 10, at: issuer.origin)
        for answer in answers where answer.status == 429 {
            #expect(answer["retry-after"] != nil, "\(answer.text)")
        }
        // Now and then one more is let through: a guess each six tenths of a second.
        let outcomes = answers.outcomes
        #expect(Set(outcomes.keys) == ["401 invalid_client", "429 x_rate_limited"], "\(outcomes)")
        #expect(outcomes["401 invalid_client"] ?? 0 >= 100, "\(outcomes)")
        #expect(try race.events() == [:])
        // Another client of the same address is let through, and the client itself elsewhere.
        let neighbour =
            [("grant_type", "client_credentials")] + (try project.assertionForm("service"))
        #expect(try await send(.token(neighbour)).status == 200)
        let right = Self.asking(with: Self.secret)
        for node in site.nodes.indices {
            #expect(try await site.send(right, at: node).status == 200)
        }
        // Here, too, once the guesses have ended.
        try await Waiting.until("the client is heard again") {
            try await send(right).status == 200
        }
    }
}
