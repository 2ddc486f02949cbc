import EventFormat
import TestSupport
import Testing

extension Races {
    /// WireContract 5.3; Security 4.2.
    @Suite("Refresh tokens") struct RefreshRaceTests {
        @Test("attack: one rotating token is refreshed fifty times at once: one successor for all")
        func rotating() async throws {
            let project = try await Races.project()
            let site = project.site
            var person = Person(at: site)
            let first = try await person.session().member("refresh_token")
            let race = try Race(at: project)
            let answers = try await race.run(.token(GrantForm.refresh(first)))
            #expect(answers.outcomes == ["200": 50])
            let successors = Set(answers.map { $0.member("refresh_token") ?? "none" })
            #expect(successors.count == 1 && !successors.contains("none"))
            #expect(!successors.contains(first ?? ""))
            #expect(Set(answers.compactMap { $0.member("access_token") }).count == 50)
            #expect(
                try race.events() == [.offlineGrantRefreshed: 1, .offlineGrantRetried: 49]
            )
            // It is good at either node, and nobody's session has ended.
            var newest = successors.first
            for node in site.nodes.indices {
                let answer = try await site.token(GrantForm.refresh(newest), at: node)
                #expect(answer.status == 200, "\(answer.text)")
                newest = answer.member("refresh_token")
            }
        }
    }
}
