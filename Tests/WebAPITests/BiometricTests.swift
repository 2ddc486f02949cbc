import Crypto
import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Biometric keys (WireContract 5.5): the attacks of Security 4.4.
@Suite("Biometric keys over HTTP") struct BiometricTests {
    static let grant = "urn:authgear:params:oauth:grant-type:biometric-request"
    static let type = "vnd.authgear.biometric-request"
    static let now: Int64 = 1_795_232_554

    @Test("a key is set up, and logs in again and again; its former session ends") func mainJob()
        async throws
    {
        let user = try await User(WebSide())
        let first = try await user.authenticate(user.jwt("authenticate"))
        #expect(first.status == 200, "\(first.body)")
        let scope = first["scope"]?.string
        #expect(scope == "https://authgear.com/scopes/full-access offline_access openid")
        let token = try #require(first["refresh_token"]?.string)
        let second = try await user.authenticate(user.jwt("authenticate", embeds: true))
        #expect(second.status == 200)
        #expect(try await DPoPTests.refresh(user.web, token).error == "invalid_grant")
        let next = try #require(second["refresh_token"]?.string)
        #expect(try await DPoPTests.refresh(user.web, next).status == 200)
        let session = try #require(
            RefreshToken(reading: Array(next.utf8), digester: user.web.side.digester)
        ).session
        let state = try await user.web.side.store.load(
            OfflineGrant.self,
            session.stream,
            by: Fixture.noDeadline
        ).state
        #expect(state.session?.authentication.methods == [.hwk, .user])
        #expect(state.session?.opening.parent.kind == .biometricKey)
    }

    @Test("a setup without, with a bad, a foreign and an ended session's token") func setupTokens()
        async throws
    {
        let user = try await User(WebSide(), registered: false)
        let jwt = try user.jwt("setup")
        let before = user.web.commits
        let none = try await user.authenticate(jwt)
        #expect(none.status == 401 && none.error == "invalid_grant")
        let bad = try await user.setUp(jwt, token: "x")
        #expect(bad.status == 401 && bad.error == "invalid_token")
        #expect(user.web.commits == before)
        let code = try await user.web.side.code(for: "other")
        let other = try await DeviceKeyTests.redeem(
            user.web,
            code: code,
            jwt: nil,
            client: "other"
        )
        let foreign = try #require(other["access_token"]?.string)
        let refused = try await user.web.expectNothingRecorded {
            try await user.setUp(jwt, token: foreign)
        }
        #expect(refused.error == "unauthorized_client")
        try await user.web.side.run(Subject.self, user.web.side.subject.stream) {
            .disable(.operator)
        }
        let ended = try await user.web.expectNothingRecorded { try await user.setUp(jwt) }
        #expect(ended.status == 401 && ended.error == "invalid_grant")
    }

    @Test("a setup long after the login is refused, and kills no session") func staleLogin()
        async throws
    {
        let user = try await User(WebSide(), registered: false)
        user.web.side.clock.advance(seconds: 301)
        let jwt = try user.jwt("setup") { members in
            members.setting("iat", .integer(Self.now + 301))
                .setting("exp", .integer(Self.now + 361))
        }
        let answer = try await user.web.expectNothingRecorded { try await user.setUp(jwt) }
        #expect(answer.error == "invalid_request")
        #expect(try await DPoPTests.refresh(user.web, user.refreshToken).status == 200)
    }

    @Test("a setup signed by another key, without key, or with a used challenge") func badSetups()
        async throws
    {
        let user = try await User(WebSide(), registered: false)
        let before = user.web.commits
        let foreign = try user.jwt("setup", by: Phone().key)
        #expect(try await user.setUp(foreign).error == "invalid_request")
        let bare = try user.jwt("setup", embeds: false)
        #expect(try await user.setUp(bare).error == "invalid_request")
        #expect(user.web.commits == before)
        let good = try user.jwt("setup")
        #expect(try await user.setUp(good).status == 200)
        #expect(try await user.setUp(good).error == "invalid_request")
    }

    @Test("neither kid nor key are ever registered twice, not even for another user")
    func taken() async throws {
        let user = try await User(WebSide())
        let somebody = try await user.web.somebodyElse()
        let other = try await User(user.web, registered: false, of: somebody)
        let header = user.phone.header(Self.type).setting("kid", "kid-0002")
        let payload = DeviceKeyTests.payload(user.web, .biometric).setting("action", "setup")
        let renamed = try user.phone.jwt(header, payload)
        let named = try other.jwt("setup")
        try await user.web.expectNothingRecorded {
            for holder in [user, other] {
                let answers = [try await holder.setUp(named), try await holder.setUp(renamed)]
                #expect(answers.map(\.error) == ["invalid_request", "invalid_request"])
            }
        }
        // It is still the first user's.
        let login = try await user.authenticate(user.jwt("authenticate"))
        #expect(user.web.subject(of: login) == user.web.side.subject)
    }

    @Test("wrong key, unknown kid, disabled key: one answer") func invalidCredentials()
        async throws
    {
        let user = try await User(WebSide())
        let thief = try User.Stranger(user)
        // Only what concerns a key is counted, by one event.
        let attempts = [
            (try thief.signed(), 1), (try thief.embedded(), 1), (try thief.unknown(), 0),
        ]
        for (jwt, count) in attempts {
            let before = user.web.commits
            let answer = try await user.authenticate(jwt)
            #expect(answer.status == 400 && answer.error == "invalid_grant")
            #expect(answer["error_description"] == "InvalidCredentials")
            let events = user.web.newestEvents(after: before)
            #expect(events.count == count)
            for event in events {
                guard case .biometricKey(.verificationFailed) = event else {
                    Issue.record("\(event)")
                    continue
                }
            }
        }
        let names = StreamNames(user.web.side.digester)
        let stream = names.biometricKey(user.kid, in: user.web.side.project.number)
        try await user.web.side.run(BiometricKey.self, stream) { .disable(.user) }
        let removed = try await user.web.expectNothingRecorded {
            try await user.authenticate(user.jwt("authenticate"))
        }
        #expect(removed["error_description"] == "InvalidCredentials")
    }

    @Test("ten wrong signatures pause the key, and only those over challenges of ours count")
    func failures() async throws {
        let user = try await User(WebSide())
        let thief = try Phone().key
        let before = user.web.commits
        for _ in 0..<12 {
            let garbage = try user.jwt("authenticate", by: thief) {
                $0.setting("challenge", .string("ch_" + String(repeating: "A", count: 64)))
            }
            #expect(try await user.authenticate(garbage).error == "invalid_grant")
        }
        #expect(user.web.commits == before)
        for _ in 0..<10 {
            let wrong = try user.jwt("authenticate", by: thief)
            #expect(try await user.authenticate(wrong).error == "invalid_grant")
        }
        let counts = user.web.newestEvents(after: before).map { event -> Int64 in
            guard case .biometricKey(.verificationFailed(let count, _)) = event else { return 0 }
            return count
        }
        #expect(counts == Array(1...10))
        let paused = try await user.web.expectNothingRecorded {
            try await user.authenticate(user.jwt("authenticate"))
        }
        #expect(paused.status == 429)
        #expect(paused.field("Retry-After").first.flatMap { Int($0) } ?? 0 > 0)
        user.web.side.clock.advance(seconds: 901)
        let late = try user.jwt("authenticate") { members in
            members.setting("iat", .integer(Self.now + 901))
                .setting("exp", .integer(Self.now + 961))
        }
        #expect(try await user.authenticate(late).status == 200)
    }

    @Test("a used or expired challenge is not permanent, so not invalid_grant") func challenges()
        async throws
    {
        let user = try await User(WebSide())
        let jwt = try user.jwt("authenticate")
        #expect(try await user.authenticate(jwt).status == 200)
        let early = DeviceKeyTests.payload(user.web, .biometric)["challenge"]
        user.web.side.clock.advance(seconds: 300)
        let late = try user.jwt("authenticate") { members in
            members.setting("iat", .integer(Self.now + 300))
                .setting("exp", .integer(Self.now + 360)).setting("challenge", early)
        }
        for text in [jwt, late] {
            let answer = try await user.web.expectNothingRecorded {
                try await user.authenticate(text)
            }
            #expect(answer.status == 400 && answer.error == "invalid_request")
            #expect(answer.refusal?.cause.hasSuffix("challenge") == true)
        }
    }

    @Test("of fifty that send one login at once one gets tokens") func race() async throws {
        let user = try await User(WebSide())
        let jwt = try user.jwt("authenticate")
        let before = user.web.commits
        let statuses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { (try? await user.authenticate(jwt).status) ?? 0 } }
            var all: [Int] = []
            for await status in group { all.append(status) }
            return all
        }
        #expect(statuses.filter { $0 == 200 }.count == 1)
        #expect(statuses.filter { $0 == 400 }.count == 49)
        #expect(user.web.commits == before + 1)
    }

    @Test("a login is no approval, and an approval no login") func actions() async throws {
        let user = try await User(WebSide())
        let named = try user.jwt("authenticate") { $0.setting("client_id", "other") }
        let mixed = try user.jwt("authenticate")
        let before = user.web.commits
        let refused = [
            try await user.authenticate(named), try await user.authenticate(mixed, user.link),
        ]
        // Not `InvalidCredentials`, on which apps delete their key.
        #expect(refused.map(\.error) == ["invalid_grant", "invalid_grant"])
        let descriptions = refused.map { $0["error_description"]?.string }
        #expect(descriptions == ["the login is not valid", "the login is not valid"])
        let nameless = try user.jwt("authenticate_app2app")
        #expect(try await user.authenticate(nameless, user.link).error == "invalid_request")
        let bare = try user.jwt("authenticate_app2app") { $0.setting("client_id", "other") }
        #expect(try await user.authenticate(bare).error == "invalid_request")
        let unknown = try user.jwt("sign")
        #expect(try await user.authenticate(unknown).error == "invalid_request")
        #expect(user.web.commits == before)
    }

    @Test(
        "an approval opens a session and lets the other app in, where a biometric key is demanded"
    )
    func approval() async throws {
        let web = try await WebSide()
        try await App2AppTests.configure(web, .init(biometricRequired: true))
        let user = try await User(web)
        let jwt = try user.jwt("authenticate_app2app") { $0.setting("client_id", "other") }
        let answer = try await user.authenticate(jwt, user.link)
        #expect(answer.status == 200, "\(answer.body)")
        let code = try #require(answer["code"]?.string)
        #expect(answer["refresh_token"]?.string != nil)
        web.side.clock.advance(seconds: 40)
        let redeemed = try await DeviceKeyTests.redeem(
            web,
            code: code,
            jwt: nil,
            client: "other"
        )
        #expect(redeemed.status == 200, "\(redeemed.body)")
        #expect(web.logins(of: redeemed) == web.logins(of: answer))
        #expect(web.claims(of: redeemed)?.authentication?.methods == [.hwk, .user])
        let hostile = try user.jwt("authenticate_app2app") { $0.setting("client_id", "other") }
        let before = web.commits
        let link = user.link.replacing("app.example.com", with: "evil.example")
        #expect(try await user.authenticate(hostile, link).error == "invalid_request")
        #expect(web.commits == before)
    }

    @Test(
        "the scope must hold offline_access and be the client's",
        arguments: [
            ("openid", "invalid_scope"), ("openid+offline_access+unknown", "invalid_scope"),
        ]
    )
    func scopes(_ scope: String, _ error: String) async throws {
        let user = try await User(WebSide())
        let answer = try await user.web.expectNothingRecorded {
            try await user.authenticate(user.jwt("authenticate"), "&scope=\(scope)")
        }
        #expect(answer.error == error)
    }

    @Test("a client without the switch has no such keys") func notEnabled() async throws {
        let user = try await User(WebSide())
        let id = user.web.side.project.settings.id
        var settings = try #require(user.web.side.projects.project(id: id)).settings
        settings.clients[0].biometric = nil
        try await user.web.side.apply(settings)
        let answer = try await user.web.expectNothingRecorded {
            try await user.authenticate(user.jwt("authenticate"))
        }
        #expect(answer.error == "unauthorized_client")
    }
}
