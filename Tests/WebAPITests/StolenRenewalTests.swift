import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Who redeems a renewal's code first and lets a web client in that the session knew before
/// (WireContract 5.2 step 4, decisions 0133 and 0147).
@Suite("Stolen renewals and web clients") struct StolenRenewalTests {
    private typealias Side = ContinuationTests.Side

    /// A session whose user went on in a browser, and what a thief got of its renewal's code.
    private struct Theft {
        let side: Side
        /// The family of the user's own browser.
        let own: Answer
        let code: String
        let stolen: Answer

        init() async throws {
            side = try await Side()
            own = try await side.redeem(try await StolenRenewalTests.silentCode(side))
            #expect(own.status == 200, "\(own.body)")
            side.web.side.clock.advance(seconds: 1)
            let token = try #require(side.app["refresh_token"]?.string)
            code = try await side.web.side.code(
                scope: PreAuthenticatedURLTests.scope,
                renewing: CascadeTests.session(of: token, side.web)
            )
            stolen = try await DeviceKeyTests.redeem(side.web, code: code, jwt: nil)
            #expect(stolen.status == 200, "\(stolen.body)")
        }

        /// The thief's browser, let in by a URL.
        func browser() async throws -> Side {
            var thief = side
            thief.cookie = try await Side.open(side.web, stolen)
            return thief
        }

        func replay() async throws {
            side.web.side.clock.advance(seconds: 11)
            let replay = try await DeviceKeyTests.redeem(side.web, code: code, jwt: nil)
            #expect(replay.error == "invalid_grant")
        }

        func refresh(_ answer: Answer, _ client: String = "offers") async throws -> String {
            let text = answer["refresh_token"]?.string
            return try await NativeSSOTests.refresh(side.web, text, client: client).word
        }
    }

    private static func silent(_ side: Side) async throws -> Answer {
        try await side.authorize([("prompt", "none")])
    }

    private static func silentCode(_ side: Side) async throws -> String {
        try await silent(side).code()
    }

    @Test("attack: a web client of before gets one family more: it ends when the app comes")
    func family() async throws {
        let theft = try await Theft()
        let thief = try await theft.browser()
        let gained = try await thief.redeem(try await Self.silentCode(thief))
        #expect(try await theft.refresh(gained) == "200")
        let again = try await thief.redeem(try await Self.silentCode(thief))
        try await theft.replay()
        #expect(try await theft.refresh(again) == "400 invalid_grant")
        #expect(try await theft.side.isAppAlive())
    }

    @Test("attack: another client of before goes on in the thief's browser, and ends, too")
    func otherClient() async throws {
        let theft = try await Theft()
        func join(_ side: Side) async throws -> Answer {
            let asked = try await side.authorize(client: "offers2")
            return try await DeviceKeyTests.redeem(
                side.web,
                code: side.press("continue", after: asked).code(),
                jwt: nil,
                client: "offers2"
            )
        }
        #expect(try await join(theft.side).status == 200)
        theft.side.web.side.clock.advance(seconds: 1)
        let gained = try await join(try await theft.browser())
        #expect(gained.status == 200)
        try await theft.replay()
        #expect(try await theft.refresh(gained, "offers2") == "400 invalid_grant")
    }

    @Test("attack: the browser that the thief let in, or was about to, gets nothing any more")
    func browser() async throws {
        let theft = try await Theft()
        let thief = try await theft.browser()
        let web = theft.side.web
        let unopened = try await PreAuthenticatedURLTests.exchange(web, theft.stolen)
        #expect(unopened.status == 200)
        try await theft.replay()
        let answer = try await Self.silent(thief)
        #expect(answer.field("Location").first?.contains("error=login_required") == true)
        let late = try await PreAuthenticatedURLTests.open(web, unopened)
        #expect(late.field("Set-Cookie") == [])
    }

    @Test("a web client that nobody let in since stays") func stays() async throws {
        let theft = try await Theft()
        try await theft.replay()
        #expect(try await theft.refresh(theft.own) == "200")
        #expect(try await theft.side.isAppAlive())
    }
}
