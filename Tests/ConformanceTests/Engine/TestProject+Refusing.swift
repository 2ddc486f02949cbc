import TestSupport
import Testing

extension TestProject {
    /// Sends each request to each node: refused, and nothing is in the log.
    func refuse(
        requests: [(sentence: String, request: WireRequest)],
        as outcome: String
    ) async throws {
        let race = try Race(at: self)
        for (sentence, request) in requests {
            for node in site.nodes.indices {
                let answer = try await site.send(request, at: node)
                #expect(answer.outcome == outcome, "\(sentence): \(answer.text)")
            }
        }
        #expect(try race.events() == [:])
    }

    /// Sends each form to each node: refused, and nothing is in the log.
    func refuse(
        _ forms: [(sentence: String, form: GrantForm.Fields)],
        as outcome: String,
        proof: String? = nil
    ) async throws {
        try await refuse(
            requests: forms.map { ($0.sentence, .token($0.form, proof: proof)) },
            as: outcome
        )
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
                let location = answer["location"]
                let isRedirect = 302...303 ~= answer.status
                #expect((location != nil) == isRedirect, "\(sentence)")
                // A number in an address is no status.
                let isSo =
                    isRedirect
                    ? expected.contains("error=") && location?.contains(expected) == true
                    : "\(answer.status)" == expected
                #expect(isSo, "\(sentence): \(answer.status) \(location ?? "")")
                #expect(answer["set-cookie"] == nil, "\(sentence)")
            }
        }
        #expect(try race.events() == [:])
    }
}
