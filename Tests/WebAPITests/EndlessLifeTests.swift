import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// A session has two ends, by idleness and by age, which whoever decides about it knows; no cleaner
/// need come by (WireContract 5.3 step 4, Security 4.2).
@Suite("Endless lives") struct EndlessLifeTests {
    /// In seconds, where a document does not say otherwise.
    private static let (idle, life): (Int64, Int64) = (2_592_000, 15_552_000)

    private static func session(_ web: WebSide) async throws -> Answer {
        try await BiometricTests.User.allowFullAccess(web)
        let scope = "\(NativeSSOTests.scope) \(UserAccess.scope)"
        return try await NativeSSOTests.session(web, scope: scope)
    }

    private static func refresh(_ web: WebSide, _ session: Answer) async throws -> Answer {
        try await NativeSSOTests.refresh(
            web,
            session["refresh_token"]?.string,
            client: "app",
            secret: session["device_secret"]?.string
        )
    }

    /// Nothing of what an app got opens a door, and nothing comes of trying.
    private static func expectOver(_ web: WebSide, _ session: Answer) async throws {
        let token = try #require(session["refresh_token"]?.string)
        try await web.expectNothingRecorded {
            let refreshed = try await refresh(web, session)
            #expect(refreshed.word == "400 invalid_grant")
            let joined = try await NativeSSOTests.send(web, NativeSSOTests.form(session))
            #expect(joined.word == "400 invalid_grant")
            let opened = try await AppSessionTokenTests.ask(web, token)
            #expect(opened.word == "403 InvalidGrant")
            #expect(try await !web.side.isActive(Array(token.utf8), asked: "app"))
            #expect(try await !NativeSSOTests.isActive(web, session))
        }
    }

    @Test("attack: endless life: an app comes back with what it has not used for thirty days")
    func idle() async throws {
        let web = try await WebSide()
        let session = try await Self.session(web)
        web.side.clock.advance(seconds: Self.idle - 1)
        let used = try await Self.refresh(web, session)
        #expect(used.status == 200, "\(used.body)")
        web.side.clock.advance(seconds: Self.idle)
        try await Self.expectOver(web, used)
    }

    @Test("attack: endless life: an app that never stops refreshing, after a hundred and eighty")
    func absolute() async throws {
        let web = try await WebSide()
        var session = try await Self.session(web)
        var former = session
        var left = Self.life
        while left > 1 {
            let pause = min(Self.idle, left) - 1
            web.side.clock.advance(seconds: pause)
            left -= pause
            former = session
            session = try await Self.refresh(web, former)
            #expect(session.status == 200, "\(session.body)")
        }
        web.side.clock.advance(seconds: 1)
        try await Self.expectOver(web, session)
        // Nor does the one before it, as of an app that never heard of its successor.
        try await Self.expectOver(web, former)
    }
}
