import TestSupport
import Testing

extension TestProject {
    /// Sends each form to each node: refused, and nothing is in the log.
    func refuse(
        _ forms: [(sentence: String, form: GrantForm.Fields)],
        as outcome: String,
        proof: String? = nil
    ) async throws {
        let race = try Race(at: self)
        for (sentence, form) in forms {
            for node in site.nodes.indices {
                let answer = try await site.token(form, proof: proof, at: node)
                #expect(answer.outcome == outcome, "\(sentence): \(answer.text)")
            }
        }
        #expect(try race.events() == [:])
    }

    /// Sends each opening of a URL to each node: no cookie, and nothing is in the log.
    func refuse(
        openings: [(sentence: String, request: WireRequest)],
        as expected: String
    ) async throws {
        let race = try Race(at: self)
        for (sentence, request) in openings {
            for node in site.nodes.indices {
                let answer = try await site.send(request, at: node)
                let said = answer["location"] ?? "\(answer.status)"
                #expect(said.contains(expected), "\(sentence): \(said)")
                #expect(answer["set-cookie"] == nil, "\(sentence)")
            }
        }
        #expect(try race.events() == [:])
    }
}
