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
            let user = try await BiometricTests.User(
                web,
                kid: "kid-\(1000 + number)",
                registered: false
            )
            // A phone whose clock goes with ours.
            let now = web.side.clock.now.seconds
            let jwt = try user.jwt("setup") {
                $0.setting("iat", .integer(now)).setting("exp", .integer(now + 60))
            }
            answers.append(try await user.setUp(jwt))
        }
        return answers
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

    @Test("fifty enabled ones, and one more in place of a removed one") func enabled()
        async throws
    {
        let web = try await WebSide()
        for start in stride(from: 0, to: 50, by: 10) {
            #expect(try await Self.add(10, from: start, web).allSatisfy { $0.status == 200 })
            web.side.clock.advance(seconds: 86_400)
        }
        let refused = try await Self.add(1, from: 50, web)[0]
        #expect(refused.status == 400 && refused.error == "invalid_request")
        let session = try await SessionAPITests.session(web)
        let list = try await SessionAPITests.send(web, .get, session, "/api/v1/biometric_keys")
        #expect(list["result"]?["biometric_keys"]?.array?.count == BiometricKeys.enabledMax)
        let path = "/api/v1/biometric_keys/kid-1000"
        #expect(try await SessionAPITests.send(web, .delete, session, path).status == 200)
        #expect(try await Self.add(1, from: 50, web)[0].status == 200)
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
