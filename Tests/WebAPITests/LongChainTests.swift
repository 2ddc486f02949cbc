import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// A session whose app refreshes for years: the fold keeps the newest spent tokens alone, and the
/// log tells of the others (Security 4.2).
@Suite("Long chains of refresh tokens") struct LongChainTests {
    private static func refresh(_ web: WebSide, _ token: String, _ session: Answer)
        async throws -> Answer
    {
        try await NativeSSOTests.refresh(
            web,
            token,
            client: "app",
            secret: session["device_secret"]?.string
        )
    }

    @Test("attack: spent digests: of more than are kept the oldest is reuse, a made-up one nothing")
    func oldest() async throws {
        let web = try await WebSide()
        var session = try await NativeSSOTests.session(web)
        let first = try #require(session["refresh_token"]?.string)
        for _ in 0..<(OfflineGrant.digestsKeptMax + 2) {
            let newest = try #require(session["refresh_token"]?.string, "\(session.body)")
            // Slowly enough for every limit of one session.
            web.side.clock.advance(seconds: 60)
            session = try await Self.refresh(web, newest, session)
        }
        let letter = first.hasSuffix("A") ? "B" : "A"
        let madeUp = try await web.expectNothingRecorded {
            try await Self.refresh(web, "\(first.dropLast())\(letter)", session)
        }
        #expect(madeUp.word == "400 invalid_grant")
        #expect(try await NativeSSOTests.isActive(web, session))
        let before = web.commits
        let reused = try await Self.refresh(web, first, session)
        #expect(reused.word == "400 invalid_grant")
        let noted = web.newestEvents(after: before).contains {
            if case .offlineGrant(.reuseDetected) = $0 { true } else { false }
        }
        #expect(noted)
        #expect(try await !NativeSSOTests.isActive(web, session))
    }
}
