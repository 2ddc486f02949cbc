import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// How many keys a user has, and adds (decision 0085).
@Suite("Bounds of biometric keys") struct BiometricKeyBoundsTests {
    /// Sets `count` keys up, each on a phone of its own; the answers.
    private static func add(_ count: Int, from first: Int = 0, _ web: WebSide) async throws
        -> [Answer]
    {
        var answers: [Answer] = []
        for number in first..<(first + count) {
            let user = try await phone(number, web)
            answers.append(try await user.setUp(jwt("setup", of: user)))
        }
        return answers
    }

    /// With a login of its own and without a key yet.
    private static func phone(_ number: Int, _ web: WebSide) async throws -> BiometricTests.User {
        try await BiometricTests.User(web, kid: "kid-\(1000 + number)", registered: false)
    }

    /// By a phone whose clock goes with ours.
    private static func jwt(
        _ action: String,
        of user: BiometricTests.User,
        embeds: Bool? = nil
    ) throws -> String {
        let now = user.web.side.clock.now.seconds
        return try user.jwt(action, embeds: embeds) {
            $0.setting("iat", .integer(now)).setting("exp", .integer(now + 60))
        }
    }

    private static func stream(_ number: Int, _ web: WebSide) -> StreamID {
        StreamNames(web.side.digester)
            .biometricKey("kid-\(1000 + number)", in: web.side.project.number)
    }

    /// Of the keys that the user's list shows.
    private static func listed(_ web: WebSide) async throws -> Set<String> {
        let session = try await SessionAPITests.session(web)
        let list = try await SessionAPITests.send(web, .get, session, "/api/v1/biometric_keys")
        let keys = try #require(list["result"]?["biometric_keys"]?.array)
        return Set(keys.compactMap { $0["kid"]?.string })
    }

    @Test("ten a day, removed ones counted, and the eleventh when the first is a day old")
    func perDay() async throws {
        let web = try await WebSide()
        #expect(try await Self.add(10, web).allSatisfy { $0.status == 200 })
        let session = try await SessionAPITests.session(web)
        for number in 0..<10 {
            let removed = try await SessionAPITests.send(
                web,
                .delete,
                session,
                "/api/v1/biometric_keys/kid-\(1000 + number)"
            )
            #expect(removed.status == 200)
        }
        let before = web.commits
        let refused = try await Self.add(1, from: 10, web)[0]
        #expect(refused.status == 429 && refused.error == "x_rate_limited")
        let wait = try #require(refused.field("Retry-After").first.flatMap { Int64($0) })
        #expect(86_000...86_400 ~= wait)
        // The login and the configuration that allows it; nothing of the key.
        let keys = web.side.store.commits[before...].flatMap(\.streams)
            .filter { $0.kind == .biometricKey }
        #expect(keys.isEmpty)
        web.side.clock.advance(seconds: wait)
        #expect(try await Self.add(1, from: 10, web)[0].status == 200)
    }

    @Test("that a session has ended comes before how many keys its user has") func ended()
        async throws
    {
        let web = try await WebSide()
        #expect(try await Self.add(10, web).allSatisfy { $0.status == 200 })
        let user = try await BiometricTests.User(web, kid: "kid-1010", registered: false)
        #expect(try await user.setUp(user.jwt("setup")).word == "429 x_rate_limited")
        _ = try await web.post("/oauth2/revoke", "token=\(user.refreshToken)")
        let answer = try await web.expectNothingRecorded {
            try await user.setUp(try user.jwt("setup"))
        }
        #expect(answer.word == "401 invalid_grant")
    }

    @Test("fifty enabled ones; one more takes the place of the one that is unused longest")
    func enabled() async throws {
        let web = try await WebSide()
        var phones: [BiometricTests.User] = []
        var logins: [Answer] = []
        for number in 0..<3 {
            let phone = try await Self.phone(number, web)
            phones.append(phone)
            #expect(try await phone.setUp(Self.jwt("setup", of: phone)).status == 200)
            logins.append(try await phone.authenticate(Self.jwt("authenticate", of: phone)))
            web.side.clock.advance(seconds: 1)
        }
        #expect(try await Self.add(7, from: 3, web).allSatisfy { $0.status == 200 })
        for start in stride(from: 10, to: 50, by: 10) {
            web.side.clock.advance(seconds: 86_400)
            #expect(try await Self.add(10, from: start, web).allSatisfy { $0.status == 200 })
        }
        web.side.clock.advance(seconds: 86_400)
        // The session of the first key asks, which is not to end by that; the third is in use.
        let asking = try await DPoPTests.refresh(
            web,
            try #require(logins[0]["refresh_token"]?.string)
        )
        let used = try await phones[2].authenticate(Self.jwt("authenticate", of: phones[2]))
        #expect(used.status == 200, "\(used.body)")
        let newest = try await Self.phone(50, web)
        try await Self.anyLogin(web)
        let before = web.commits
        let added = try await newest.setUp(
            Self.jwt("setup", of: newest),
            token: try #require(asking["access_token"]?.string)
        )
        #expect(added.status == 200, "\(added.body)")
        // One append, with what gave way and its session.
        #expect(web.commits == before + 1)
        let events = web.newestEvents(after: before)
        #expect(events.contains(.biometricKey(.disabled(.user))))
        #expect(events.contains(.offlineGrant(.revoked(.keyDisabled))))
        let gone = try await phones[1].authenticate(Self.jwt("authenticate", of: phones[1]))
        #expect(gone["error_description"] == "InvalidCredentials")
        let ended = try #require(logins[1]["refresh_token"]?.string)
        #expect(try await DPoPTests.refresh(web, ended).error == "invalid_grant")
        // Another session asks, then one more.
        #expect(try await Self.add(2, from: 51, web).allSatisfy { $0.status == 200 })
        let kids = try await Self.listed(web)
        #expect(kids.count == BiometricKeys.enabledMax)
        let others = (0...52).map { "kid-\(1000 + $0)" }.filter { !kids.contains($0) }
        #expect(others == ["kid-1000", "kid-1001", "kid-1003"])
    }

    @Test(
        "one that cannot be read, or whose session cannot, stays, and the next one gives way",
        arguments: [true, false]
    )
    func spoilt(_ isKey: Bool) async throws {
        let web = try await WebSide()
        let idlest = try await Self.phone(0, web)
        #expect(try await idlest.setUp(Self.jwt("setup", of: idlest)).status == 200)
        let login = try await idlest.authenticate(Self.jwt("authenticate", of: idlest))
        let session = try SessionAPITests.sid(of: login, web)
        web.side.clock.advance(seconds: 1)
        #expect(try await Self.add(9, from: 1, web).allSatisfy { $0.status == 200 })
        for start in stride(from: 10, to: 50, by: 10) {
            web.side.clock.advance(seconds: 86_400)
            #expect(try await Self.add(10, from: start, web).allSatisfy { $0.status == 200 })
        }
        web.side.clock.advance(seconds: 86_400)
        web.side.store.spoil(isKey ? Self.stream(0, web) : session.stream)
        // A session that has ended hears that, whatever its user's keys are.
        let ended = try await Self.phone(51, web)
        _ = try await web.post("/oauth2/revoke", "token=\(ended.refreshToken)")
        let refused = try await web.expectNothingRecorded {
            try await ended.setUp(Self.jwt("setup", of: ended))
        }
        #expect(refused.word == "401 invalid_grant")
        let before = web.commits
        let added = try await Self.add(1, from: 50, web)[0]
        #expect(added.status == 200, "\(added.body)")
        let removed = web.side.store.commits[before...].flatMap(\.streams)
            .filter { $0.events.contains(.biometricKey(.disabled(.user))) }
        #expect(removed.map(\.stream) == [Self.stream(1, web)])
        let kids = try await Self.listed(web)
        #expect(kids.contains("kid-1050") && !kids.contains("kid-1001"))
        #expect(kids.contains("kid-1000") == !isKey)
    }

    @Test("the first of ten that cannot be read counts as one with the second") func spoiltTenth()
        async throws
    {
        let web = try await WebSide()
        #expect(try await Self.add(1, web)[0].status == 200)
        web.side.clock.advance(seconds: 3600)
        #expect(try await Self.add(9, from: 1, web).allSatisfy { $0.status == 200 })
        web.side.store.spoil(Self.stream(0, web))
        web.side.clock.advance(seconds: 86_400 - 1)
        #expect(try await Self.add(1, from: 10, web)[0].word == "429 x_rate_limited")
        web.side.clock.advance(seconds: 1)
        #expect(try await Self.add(1, from: 10, web)[0].status == 200)
    }

    /// A key may be set up long after a login.
    private static func anyLogin(_ web: WebSide) async throws {
        let id = web.side.project.settings.id
        var settings = try #require(web.side.projects.project(id: id)).settings
        settings.clients[0].biometric?.setupMaxAgeSeconds = 0
        try await web.side.apply(settings)
    }

    @Test("no key of another app gives way") func otherApp() async throws {
        let web = try await WebSide()
        for start in stride(from: 0, to: 50, by: 10) {
            #expect(try await Self.add(10, from: start, web).allSatisfy { $0.status == 200 })
            web.side.clock.advance(seconds: 86_400)
        }
        let id = web.side.project.settings.id
        var settings = try #require(web.side.projects.project(id: id)).settings
        let index = try #require(settings.clients.firstIndex { $0.id.text == "other" })
        settings.clients[index].biometric = settings.clients[0].biometric
        settings.clients[index].allowedScopes = settings.clients[0].allowedScopes
        try await web.side.apply(settings)
        let session = try await NativeSSOTests.session(
            web,
            client: "other",
            scope: "openid offline_access \(UserAccess.scope)"
        )
        let token = try #require(session["access_token"]?.string)
        let user = try await Self.phone(50, web)
        // Said to the holder of a key alone.
        let bare = try Self.jwt("setup", of: user, embeds: false)
        let unproved = try await web.expectNothingRecorded {
            try await user.setUp(bare, token: token, client: "other")
        }
        #expect(unproved.error == "invalid_request")
        #expect(unproved["error_description"] != "the user has too many keys")
        let jwt = try Self.jwt("setup", of: user)
        let refused = try await web.expectNothingRecorded {
            try await user.setUp(jwt, token: token, client: "other")
        }
        #expect(refused.word == "400 invalid_request", "\(refused.body)")
        #expect(refused["error_description"] == "the user has too many keys")
        // A removed one makes room for anybody's.
        let own = try await SessionAPITests.session(web)
        let path = "/api/v1/biometric_keys/kid-1007"
        #expect(try await SessionAPITests.send(web, .delete, own, path).status == 200)
        let again = try Self.jwt("setup", of: user)
        #expect(try await user.setUp(again, token: token, client: "other").status == 200)
    }

    @Test("a list opens its user's key once, however many phones have a name") func key()
        async throws
    {
        let web = try await WebSide()
        for number in 0..<3 {
            let user = try await BiometricTests.User(
                web,
                kid: "kid-\(1000 + number)",
                registered: false
            )
            let info = try JSONReader.read(Array(DeviceNameTests.pixel.utf8))
            let jwt = try user.jwt("setup") { $0.setting("device_info", info) }
            #expect(try await user.setUp(jwt).status == 200)
        }
        let session = try await SessionAPITests.session(web)
        let before = web.side.sealer.lookUps
        let list = try await SessionAPITests.send(web, .get, session, "/api/v1/biometric_keys")
        let keys = try #require(list["result"]?["biometric_keys"]?.array)
        #expect(keys.compactMap { $0["device"]?.string }.count == 3)
        #expect(web.side.sealer.lookUps - before == 1)
        let page = web.side.sealer.lookUps
        #expect(try await SettingsSide(web).get().body.contains("Google Pixel 8"))
        // The address, and the names of all keys; no session has one.
        #expect(web.side.sealer.lookUps - page == 2)
    }
}
