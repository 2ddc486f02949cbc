import Foundation
import TestSupport
import Testing

/// Who asks for challenges without end (Security 4.3 and L3).
@Suite("A flood of challenges", .timeLimit(.minutes(3))) struct ChallengeFloodTests {
    @Test("attack: a flood of challenges: it is slowed down, leaves nothing, and spoils none")
    func flood() async throws {
        let project = try await TestProject.named("flooded")
        let site = project.site
        let phone = try PhoneKey("ES256")
        var person = Person(at: site)
        let owner = try await person.session(on: phone).member("refresh_token")
        let approval = try await site.signed(by: phone, .app2app)
        let issuer = try await IssuerProcess(
            beside: project.stack,
            named: "flooded",
            // In development a hundred times as many are let through.
            ["CHANCERY__RATE_LIMITS__PER_MINUTE__CHALLENGE": "1"]
        )
        defer { issuer.stop() }
        var attacker = Browser(site.origin, at: [issuer.origin])
        let ask = WireRequest(
            "POST",
            "/oauth2/challenge",
            [("Content-Type", "application/json")],
            #"{"purpose":"app2app_request"}"#
        )
        let race = try Race(at: project)
        let requests = Array(repeating: ask, count: 200)
        let answers = try await race.run(requests, atOnce: 10, at: issuer.origin)
        for answer in answers where answer.status == 429 {
            #expect(answer["retry-after"] != nil, "\(answer.text)")
        }
        // Now and then one more is let through: a challenge each six tenths of a second.
        let outcomes = answers.outcomes
        #expect(Set(outcomes.keys) == ["200", "429 RateLimited"], "\(outcomes)")
        #expect(try race.events() == [:])
        // What another phone was given before is good at that node, too.
        let form = SignIn.form(GrantForm.app2app(owner, approval))
        #expect(try await attacker.send("POST", "/oauth2/token", body: form).status == 200)
    }
}
