import TestSupport
import Testing

/// Attacks on what the session API shows and ends (WireContract 9.5; Security 4.4).
///
/// One test at a time: each counts what the log of its project gains.
@Suite("Attacks on the session API", .serialized, .timeLimit(.minutes(3)))
struct SessionAttackTests {
    @Test("attack: somebody else's session, or key, is looked at and ended by its id")
    func foreign() async throws {
        let project = try await TestProject.named("visited")
        let site = project.site
        let owner = try await BiometricUser.enrolled(at: site)
        let thief = try await BiometricUser(at: site)
        let sid = try #require(owner.session.claim("sid", of: "access_token"))
        let token = thief.session.member("access_token")
        let path = "/api/v1/sessions"
        try await project.refuse(
            requests: [
                ("a look", .bearing(token, "GET", "\(path)/\(sid)")),
                ("an end", .bearing(token, "DELETE", "\(path)/\(sid)")),
                ("what never was", .bearing(token, "DELETE", "\(path)/x")),
                ("a key", .bearing(token, "DELETE", "/api/v1/biometric_keys/\(owner.kid)")),
            ],
            as: "404 NotFound"
        )
        let list = try await site.send(.bearing(token, "GET", path))
        #expect(list.status == 200 && !list.text.contains(sid), "\(list.text)")
        // All others are the caller's own.
        let others = try await site.send(.bearing(token, "POST", "\(path)/revoke_others"))
        #expect(others.status == 200, "\(others.text)")
        for node in site.nodes.indices {
            let alive = try await site.send(
                .bearing(owner.session.member("access_token")),
                at: node
            )
            #expect(alive.status == 200, "\(alive.text)")
        }
        #expect(try await site.send(try await owner.login()).status == 200)
    }
}
