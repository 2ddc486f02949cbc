import Foundation
import TestSupport
import Testing

/// What an operator's program does for a user whose phone is gone, at one node; the phone calls at
/// the other (WireContract 9.7 and 13.3).
@Suite("My phone is gone", .timeLimit(.minutes(3))) struct LostPhoneTests {
    private let project: TestProject
    private var site: Site { project.site }

    init() async throws { project = try await TestProject.named("support") }

    private static let ended = ["401 invalid_grant", "400 invalid_grant"]

    @Test("end its session, remove its finger; and do what you did again") func lost()
        async throws
    {
        let user = try await BiometricUser.enrolled(at: site)
        let login = try await site.send(try await user.login(), at: 1)
        let subject = try #require(user.session.claim("sub", of: "id_token"))
        let sid = try #require(user.session.claim("sid", of: "access_token"))
        let opened = try #require(login.claim("sid", of: "access_token"))

        let email = ["--email", user.person.email]
        try project.expectDone(["subjects", "find"] + email, subject)
        try project.expectDone(["grants", "list", "--live"] + email, sid, opened, "EXPIRES")
        try project.expectDone(["biometric-keys", "list"] + email, user.kid, subject, "LAST USED")

        let end = ["grants", "end", sid, "--reason", "lost phone"]
        try project.expectDone(end, "Ended \(sid).")
        #expect(try await site.uses(of: user.session) == Self.ended)
        try project.expectDone(end, "\(sid) had ended before.")
        let live = try project.chancery(["grants", "list", "--live", "--subject", subject])
        #expect(!live.said.contains(sid) && live.said.contains(opened), "\(live.said)")

        let next = try await user.login()
        let whose = ["--subject", subject, "--reason", "lost phone"]
        let remove = ["biometric-keys", "remove", user.kid] + whose
        try project.expectDone(remove, "Removed \(user.kid).")
        #expect(try await site.uses(of: login) == Self.ended)
        let refused = try await site.send(next, at: 1)
        #expect(refused.outcome == "400 invalid_grant")
        #expect(refused.member("error_description") == "InvalidCredentials")
        try project.expectDone(remove, "\(user.kid) was removed before.")
        try project.expectDone(["biometric-keys", "remove", "--all"] + whose, "There was none")
        try expectRecorded("lost phone", of: subject)
    }

    /// The log has the operator and the reason, with the key as with both sessions.
    private func expectRecorded(_ reason: String, of subject: String) throws {
        let metadata = "convert_from(metadata, 'UTF8')"
        let rows = try Psql.rows(
            """
            SELECT type, \(metadata) LIKE '%"actor":"operator"%' FROM es.events
             WHERE subject_id = '\(subject)' AND \(metadata) LIKE '%"reason":"\(reason)"%'
             ORDER BY type
            """,
            project.stack
        )
        // Two sessions and a key (Events 8.7 and 8.8).
        #expect(rows == [["711", "t"], ["711", "t"], ["804", "t"]], "\(rows)")
    }

    @Test("it was stolen: no finger of before logs in once I am enabled again") func stolen()
        async throws
    {
        let user = try await BiometricUser.enrolled(at: site)
        let thief = try await site.send(try await user.login(), at: 1)
        let subject = try #require(user.session.claim("sub", of: "id_token"))
        let reason = ["--reason", "stolen phone"]
        let all = ["biometric-keys", "remove", "--all", "--subject", subject] + reason
        try project.expectDone(
            ["subjects", "disable", subject] + reason,
            "They have 1 biometric key, good for a login once they are enabled",
            "remove --all --subject \(subject)"
        )
        #expect(try await site.uses(of: thief) == Self.ended)
        try project.expectDone(all, "Removed 1 biometric key.")
        try project.expectDone(
            ["subjects", "enable", subject] + reason,
            "Done: enable \(subject).",
            "They have no biometric key."
        )
        let late = try await site.send(try await user.login(), at: 1)
        #expect(late.outcome == "400 invalid_grant")
        #expect(late.member("error_description") == "InvalidCredentials")
    }

    @Test("what is not there, and what is not said whole, is told so") func refused()
        async throws
    {
        let user = try await BiometricUser.enrolled(at: site)
        let subject = try #require(user.session.claim("sub", of: "id_token"))
        let reason = ["--reason", "test"]
        let keys = ["biometric-keys", "remove"]
        let nobody = "80000000-0000-8000-8000-000000000000"
        let rows: [(words: [String], said: String, code: Int32)] = [
            (["grants", "end", subject] + reason, "no such session", 1),
            (["subjects", "disable", nobody] + reason, "no such subject", 1),
            (["biometric-keys", "list", "--subject", nobody], "no such subject", 1),
            (["biometric-keys", "list", "--email", "nobody@example.com"], "nobody signs in", 1),
            (keys + ["--all", "--subject", nobody] + reason, "no such subject", 1),
            (keys + ["kid-9999", "--subject", subject] + reason, "no such biometric key", 1),
            (keys + ["--subject", subject] + reason, "a KID or --all", 64),
            (keys + [user.kid, "--all", "--subject", subject] + reason, "a KID or --all", 64),
            (keys + [user.kid] + reason, "--subject is missing", 64),
            (keys + [user.kid, "--subject", subject], "--reason is missing", 64),
            (keys + [user.kid, "--email", user.person.email] + reason, "goes with list", 64),
            (["grants", "end", subject], "--reason is missing", 64),
            (["grants", "end", subject, "--live"] + reason, "goes with list", 64),
            (["grants", "show", subject] + reason, "--reason goes with end", 64),
            (["grants", "show", subject, "--live"], "--live goes with list", 64),
            (["subjects", "find"] + reason, "goes with disable, enable and erase", 64),
            (["biometric-keys", "list", "--all"], "goes with remove", 64),
        ]
        for row in rows {
            let (said, code) = try project.chancery(row.words)
            #expect(code == row.code && said.contains(row.said), "\(row.words): \(said)")
        }
        #expect(try await site.send(try await user.login(), at: 1).status == 200)
    }
}
