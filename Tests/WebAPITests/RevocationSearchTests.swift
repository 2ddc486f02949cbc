import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// A search of a session's events for a token costs more than all else at `/oauth2/revoke`, whose
/// answer is the same (WireContract 9.3, Security 9, L1).
@Suite("Searches for a token that is revoked") struct RevocationSearchTests {
    /// A session with a guest, whose first app was put out, and a refresh token of that app.
    private static func session(_ web: WebSide) async throws -> (token: String, guest: Answer) {
        let session = try await NativeSSOTests.session(web)
        let guest = try await NativeSSOTests.send(web, try NativeSSOTests.form(session))
        #expect(guest.status == 200, "\(guest.body)")
        let token = try #require(session["refresh_token"]?.string)
        let id = try CascadeTests.session(of: token, web)
        try await web.side.run(OfflineGrant.self, id.stream) {
            .share(.leave(Sample.client("app"), .reuse))
        }
        return (token, guest)
    }

    private static func revoke(_ token: String, _ web: WebSide) async throws -> Int {
        try await web.post("/oauth2/revoke", "token=\(token)").status
    }

    @Test("attack: who makes tokens up is stopped like who fails") func madeUp() async throws {
        let web = try await WebSide(limits: [.failedRequest: .init(perMinute: 2)])
        let (token, guest) = try await Self.session(web)
        let last = token.last == "A" ? "B" : "A"
        let madeUp = token.dropLast() + last
        for _ in 0..<2 { #expect(try await Self.revoke(String(madeUp), web) == 200) }
        let searched = web.side.store.historiesRead
        #expect(searched > 0)
        #expect(try await Self.revoke(String(madeUp), web) == 429)
        #expect(web.side.store.historiesRead == searched)
        #expect(try await NativeSSOTests.isActive(web, guest))
    }

    @Test("attack: so is who sends one that works once again and again") func again() async throws {
        let web = try await WebSide(limits: [.failedRequest: .init(perMinute: 2)])
        let (token, guest) = try await Self.session(web)
        // The one that ends the session is no failure.
        for _ in 0..<3 { #expect(try await Self.revoke(token, web) == 200) }
        #expect(try await NativeSSOTests.isActive(web, guest) == false)
        #expect(try await Self.revoke(token, web) == 429)
    }

    @Test(
        "attack: so is who asks for tokens of nobody, which no search is made for",
        arguments: ["refresh_token", "device_secret"]
    )
    func nobody(_ member: String) async throws {
        let web = try await WebSide(limits: [.failedRequest: .init(perMinute: 2)])
        let session = try await NativeSSOTests.session(web)
        let good = try #require(session[member]?.string)
        let last = good.last == "A" ? "B" : "A"
        for _ in 0..<2 { #expect(try await Self.revoke(good.dropLast() + last, web) == 200) }
        #expect(web.side.store.historiesRead == 0)
        #expect(try await Self.revoke(good, web) == 429)
    }

    @Test("a token that the session knows is free, whoever sends it how often") func unsearched()
        async throws
    {
        let web = try await WebSide(limits: [.failedRequest: .init(perMinute: 2)])
        let session = try await NativeSSOTests.session(web)
        let token = try #require(session["refresh_token"]?.string)
        let secret = try #require(session["device_secret"]?.string)
        for _ in 0..<5 { #expect(try await Self.revoke(secret, web) == 200) }
        for _ in 0..<5 { #expect(try await Self.revoke(token, web) == 200) }
        #expect(try await Self.revoke("", web) == 200)
        #expect(web.side.store.historiesRead == 0)
    }
}
