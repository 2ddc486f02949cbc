import TestSupport
import Testing

/// Attacks with refresh tokens (Security 4.2).
@Suite("Attacks with refresh tokens", .timeLimit(.minutes(3))) struct RefreshAttackTests {
    @Test("attack: an app refreshes for a user who was disabled, where it just did")
    func disabled() async throws {
        let project = try await TestProject.named("refreshing")
        let site = project.site
        var person = Person(at: site)
        var session = try await person.session()
        let subject = try #require(session.claim("sub", of: "id_token"))
        for node in site.nodes.indices {
            let form = GrantForm.refresh(session.member("refresh_token"))
            session = try await site.token(form, at: node)
            #expect(session.status == 200, "\(session.text)")
        }
        try await project.disable(subject: subject)
        let form = GrantForm.refresh(session.member("refresh_token"))
        let bearer = WireRequest.bearing(session.member("access_token"))
        for node in site.nodes.indices {
            let refreshed = try await site.token(form, at: node)
            #expect(refreshed.outcome == "400 invalid_grant", "\(refreshed.text)")
            let used = try await site.send(bearer, at: node)
            #expect(used.outcome == "401 invalid_grant", "\(used.text)")
        }
        // Somebody else goes on.
        var other = Person(at: site)
        let theirs = GrantForm.refresh(try await other.session().member("refresh_token"))
        #expect(try await site.token(theirs).status == 200)
    }
}
