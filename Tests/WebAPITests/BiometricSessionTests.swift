import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import Runtime
import TestSupport
import Testing
import WebAPI

/// What a login by a biometric key leaves in the log and shows to its user.
@Suite("Sessions of biometric keys") struct BiometricSessionTests {
    @Test("the former session's end is recorded as its own, not as the new one's")
    func formerEnd() async throws {
        let user = try await BiometricTests.User(WebSide())
        _ = try await user.authenticate(user.jwt("authenticate"))
        _ = try await user.authenticate(user.jwt("authenticate"))
        let ends = user.web.side.store.allEvents.filter {
            $0.body == .offlineGrant(.revoked(.superseded))
        }
        #expect(ends.count == 1)
        for end in ends { #expect(end.session == SessionID(end.stream)) }
        let opened = try #require(
            user.web.side.store.allEvents.last {
                if case .offlineGrant(.opened) = $0.body { true } else { false }
            }
        )
        #expect(opened.session == SessionID(opened.stream))
        // Of the key, it belongs to the session that it opened.
        let used = try #require(
            user.web.side.store.allEvents.last {
                if case .biometricKey(.used) = $0.body { true } else { false }
            }
        )
        #expect(used.session == opened.session)
    }

    @Test("attack: one key logs in more often than a session may be refreshed: it waits, alone")
    func tooOften() async throws {
        let web = try await WebSide(limits: [.refresh: .init(perMinute: 60, burst: 2)])
        let user = try await BiometricTests.User(web)
        // Whoever knows its name, or has a JWT that was used, uses nothing up.
        let stranger = try BiometricTests.User.Stranger(user)
        for _ in 0..<3 { #expect(try await user.authenticate(stranger.signed()).status == 400) }
        let used = try user.jwt("authenticate")
        #expect(try await user.authenticate(used).status == 200)
        for _ in 0..<3 { #expect(try await user.authenticate(used).error == "invalid_request") }
        #expect(try await user.authenticate(user.jwt("authenticate")).status == 200)
        let late = try user.jwt("authenticate")
        let refused = try await web.expectNothingRecorded { try await user.authenticate(late) }
        #expect(refused.status == 429 && refused.error == "x_rate_limited")
        #expect(refused.refusal?.id == "BK-011" && refused.field("Retry-After") == ["1"])
        let other = try await BiometricTests.User(web, kid: "kid-0002")
        #expect(try await other.authenticate(other.jwt("authenticate")).status == 200)
        web.side.clock.advance(seconds: 1)
        #expect(try await user.authenticate(late).status == 200)
    }

    /// How many requests the limit on logins has refused.
    private static func hits(_ web: WebSide) throws -> Int {
        let series = #"chancery_limit_hits_total{limit="refresh"} "#
        let text = String(decoding: web.metrics.render(), as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix(series) }
        return try #require(line.flatMap { Int($0.dropFirst(series.count)) }, "\(text)")
    }

    @Test("a login that has to wait is one hit, also where its key is remembered, and no other is")
    func oneHit() async throws {
        let web = try await WebSide(limits: [.refresh: .init(perMinute: 60, burst: 1)])
        let user = try await BiometricTests.User(web)
        let used = try user.jwt("authenticate")
        #expect(try await user.authenticate(used).status == 200)
        #expect(try await user.authenticate(user.jwt("authenticate")).status == 429)
        #expect(try Self.hits(web) == 1)
        // A node that looks again before it refuses.
        let side = web.side
        let key = StreamNames(side.digester).biometricKey(user.kid, in: side.project.number)
        let store = try await StaleStore<BiometricKey>(side.store, remembering: key)
        let node = side.grants(running: side.commands(over: store), pace: web.services.limits)
        func authenticate(_ jwt: String) async throws -> TokenResponse {
            try await node.endpoint.respond(
                to: RequestParameters(["grant_type": BiometricTests.grant, "jwt": jwt]),
                from: side.caller("app")
            )
        }
        let late = try user.jwt("authenticate")
        await expect(refusal: .rateLimited) { try await authenticate(late) }
        #expect(try Self.hits(web) == 2)
        // Had it not been used, it would have to wait: that is not why it is refused.
        await expect(refusal: .invalidRequest) { try await authenticate(used) }
        #expect(try Self.hits(web) == 2)
        side.clock.advance(seconds: 1)
        _ = try await authenticate(late)
        #expect(try Self.hits(web) == 2)
    }

    @Test("a login whose append lost, and came again, is counted once") func lostAppend()
        async throws
    {
        let web = try await WebSide(limits: [.refresh: .init(perMinute: 60, burst: 2)])
        let user = try await BiometricTests.User(web)
        web.side.store.fail(.conflict, .conflict)
        #expect(try await user.authenticate(user.jwt("authenticate")).status == 200)
        #expect(try await user.authenticate(user.jwt("authenticate")).status == 200)
        #expect(try await user.authenticate(user.jwt("authenticate")).status == 429)
        #expect(try Self.hits(web) == 1)
    }

    @Test("attack: or fifty times at once: all are waited for, up to two bursts") func atOnce()
        async throws
    {
        let web = try await WebSide(limits: [.refresh: .init(perMinute: 60, burst: 5)])
        let user = try await BiometricTests.User(web)
        let jwts = try (0..<50).map { _ in try user.jwt("authenticate") }
        _ = try await withThrowingTaskGroup(of: Int.self) { group in
            for jwt in jwts { group.addTask { try await user.authenticate(jwt).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let late = try await user.authenticate(user.jwt("authenticate"))
        #expect(late.status == 429)
        web.side.clock.advance(seconds: 10)
        #expect(try await user.authenticate(user.jwt("authenticate")).status == 200)
    }

    @Test("the scope of an approval is the new session's, too, and must hold offline_access")
    func approvalScope() async throws {
        let user = try await BiometricTests.User(WebSide())
        func approve(_ scope: String) async throws -> Answer {
            let jwt = try user.jwt("authenticate_app2app") { $0.setting("client_id", "other") }
            return try await user.authenticate(jwt, "\(user.link)&scope=\(scope)")
        }
        let refused = try await user.web.expectNothingRecorded { try await approve("openid") }
        #expect(refused.error == "invalid_scope")
        let answer = try await approve("openid+offline_access")
        #expect(answer.status == 200, "\(answer.body)")
        #expect(answer["scope"]?.string == "offline_access openid")
        let redeemed = try await DeviceKeyTests.redeem(
            user.web,
            code: #require(answer["code"]?.string),
            jwt: nil,
            client: "other"
        )
        #expect(redeemed["scope"]?.string == "offline_access openid")
    }

    @Test("the phone that a signed login names is the session's, before the request's")
    func device() async throws {
        let user = try await BiometricTests.User(WebSide())
        let signed = try JSONReader.read(Array(DeviceNameTests.pixel.utf8))
        let login = try await user.authenticate(
            user.jwt("authenticate") { $0.setting("device_info", signed) }
        )
        let answer = try await SessionAPITests.send(user.web, .get, login)
        let session = try #require(
            try SessionAPITests.list(answer).last { $0["is_current"] == true }
        )
        #expect(session["device"]?.string == "Google Pixel 8")
    }
}
