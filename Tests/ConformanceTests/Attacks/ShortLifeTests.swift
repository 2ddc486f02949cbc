import Foundation
import TestSupport
import Testing

/// What lives on, and what does not, where tokens live for a minute and sessions for an hour
/// (Security I8 and 4.9; WireContract 5.6 and 5.7).
///
/// One test at a time: each counts what the log of its project gains.
@Suite("Short lives", .serialized, .timeLimit(.minutes(4))) struct ShortLifeTests {
    private static let hour = 3600

    /// Id tokens of a minute, sessions of an hour, and a guest whose tokens live as long.
    private static let made = Task {
        let project = try await TestProject.named("short")
        let lines = [
            ("  dpop_nonce: false\n", "  id_token_lifetime_seconds: 60\n"),
            ("      name: App\n", "      refresh_token_lifetime_seconds: \(hour)\n"),
            ("      name: Target, and guest\n", "      access_token_lifetime_seconds: \(hour)\n"),
        ]
        for (line, more) in lines { try await project.change(line, to: line + more) }
        return project
    }

    private static func claims(_ token: String?) throws -> [String: Any] {
        try #require(WireAnswer(decoding: token ?? "")?.object("claims"))
    }

    private static func exchange(
        _ tokens: WireAnswer,
        for client: String,
        _ site: Site
    ) -> GrantForm.Fields {
        GrantForm.exchange(
            tokens.member("id_token"),
            tokens.member("device_secret"),
            for: client,
            at: site,
            type: client == "offers" ? GrantForm.urlType : ""
        )
    }

    @Test("an id token that has expired names its session while that lives, also as a hint")
    func expired() async throws {
        let project = try await Self.made.value
        let site = project.site
        var person = Person(at: site)
        let session = try await person.session(scope: Person.everything)
        let old = try await site.token(Self.exchange(session, for: "offers", site))
        let expiry = try #require(try Self.claims(old.member("id_token"))["exp"] as? Int)
        try await Task.sleep(for: .seconds(62))
        #expect(Int(Date().timeIntervalSince1970) > expiry)
        #expect(try await site.token(Self.exchange(old, for: "invest", site)).status == 200)
        let url = try await site.token(Self.exchange(old, for: "offers", site))
        #expect(url.status == 200, "\(url.text)")
        let opening = WireRequest.open(
            url: url.member("access_token"),
            hint: old.member("id_token")
        )
        #expect(try await site.send(opening)["set-cookie"] != nil)
        let hint = [("prompt", "none"), ("id_token_hint", session.member("id_token") ?? "")]
        #expect(try await person.code("offers", scope: "openid", hint).hasPrefix("ac_"))
        let logout = "/oauth2/end_session?\(SignIn.form([hint[1]]))"
        let asked = try await site.send(WireRequest("GET", logout))
        #expect(asked["location"]?.hasPrefix("/logout") == true, "\(asked.text)")
        let revoked = try await site.send(.revoke(session.member("refresh_token")), at: 0)
        #expect(revoked.status == 200)
        try await project.refuse(
            [
                ("an app", Self.exchange(url, for: "invest", site)),
                ("a URL", Self.exchange(url, for: "offers", site)),
            ],
            as: "400 invalid_grant"
        )
    }

    @Test("attack: an app that joins late, or refreshes, gets what outlives the session")
    func guest() async throws {
        let site = try await Self.made.value.site
        var person = Person(at: site)
        let session = try await person.session(scope: Person.everything)
        let claims = try Self.claims(session.member("access_token"))
        let opened = try #require(claims["iat"] as? Int)
        try await Task.sleep(for: .seconds(3))
        let joined = try await site.token(Self.exchange(session, for: "invest", site))
        let refresh = GrantForm.refresh(joined.member("refresh_token"), of: "invest")
        for node in site.nodes.indices {
            let answers = [joined, try await site.token(refresh, at: node)]
            for answer in answers {
                let claims = try Self.claims(answer.member("access_token"))
                let (begin, end) = (claims["iat"] as? Int ?? 0, claims["exp"] as? Int ?? .max)
                #expect(opened + Self.hour - 1...opened + Self.hour ~= end, "\(claims)")
                let said = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
                #expect(said?["expires_in"] as? Int == end - begin, "\(answer.text)")
            }
        }
    }
}
