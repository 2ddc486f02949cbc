import TestSupport
import Testing

/// Who sends without end what a node limits (Security 9).
@Suite("Floods", .serialized, .timeLimit(.minutes(3))) struct LimitFloodTests {
    /// How many are too many.
    private static let tooMany = 50

    @Test(
        "attack: a flood of requests: it is slowed down, leaves nothing, and spoils none",
        arguments: Flood.rows
    )
    func flood(_ row: Flood) async throws {
        let project = try await TestProject.named("limited")
        let stake = try await row.prepare(project)
        let issuer = try await ProxiedIssuer(
            beside: project.stack,
            named: "limited",
            limits: "per_minute: {\(row.limit): \(row.perMinute)}"
        )
        defer { issuer.end() }
        let node = row.isAdmin ? issuer.process.adminOrigin : issuer.process.origin
        let race = try Race(at: project)
        var answers: [WireAnswer] = []
        while answers.count < row.letIn + Self.tooMany {
            let numbers = answers.count..<answers.count + row.callers
            answers += try await race.run(numbers.map { row.request($0, stake) }, at: [node])
        }
        let refused = answers.filter { $0.status == 429 }
        #expect(Set(answers.outcomes.keys) == row.outcomes, "\(answers.outcomes)")
        // What was sent again was let in before, and the node had no time for it.
        let letIn = answers.count - refused.count + race.repeatCount
        #expect(letIn >= row.letIn, "\(answers.outcomes)")
        for answer in refused {
            let seconds = answer["retry-after"].flatMap { Int($0) }
            #expect(1...60 ~= seconds ?? 0, "\(answer.headers)")
        }
        #expect(try race.events() == row.events(answers.count - refused.count))
        for other in row.others(stake) {
            let nodes = other.isElsewhere ? project.site.nodes : [node]
            guard other.outcome.hasPrefix("429") else {
                let outcomes = try await race.run([other.request], at: nodes).outcomes
                #expect(outcomes == [other.outcome: 1], "\(other.sentence)")
                continue
            }
            // Since the last one that was refused some more are let in.
            let some = Array(repeating: other.request, count: row.callers)
            let outcomes = try await race.run(some, at: nodes).outcomes
            #expect(outcomes[other.outcome, default: 0] > 0, "\(other.sentence): \(outcomes)")
        }
    }
}
