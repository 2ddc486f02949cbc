import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Event 703 says for good what a token was given for (Events 8.7).
@Suite("Origins of access tokens") struct TokenOriginTests {
    /// What the log says the first access token of a session was given for.
    private static func origin(of answer: Answer, _ web: WebSide) throws
        -> OfflineGrant.AccessTokenIssue.Via?
    {
        let session = try SessionAPITests.sid(of: answer, web)
        for event in web.side.store.events(of: session.stream) {
            if case .offlineGrant(.accessTokenIssued(let issue)) = event { return issue.via }
        }
        return nil
    }

    @Test("a code's is written as such") func code() async throws {
        let web = try await WebSide()
        let answer = try await SessionAPITests.session(web)
        #expect(try Self.origin(of: answer, web) == .code)
    }

    @Test("a biometric login's is written as such") func biometric() async throws {
        let web = try await WebSide()
        let user = try await BiometricTests.User(web)
        let answer = try await user.authenticate(user.jwt("authenticate"))
        #expect(try Self.origin(of: answer, web) == .biometric)
    }

    @Test("that of an app that another let in is written as such") func app2app() async throws {
        let web = try await WebSide()
        let user = try await BiometricTests.User(web)
        let jwt = try user.jwt("authenticate_app2app") { $0.setting("client_id", "other") }
        let approved = try await user.authenticate(jwt, user.link)
        let code = try #require(approved["code"]?.string, "\(approved.body)")
        let answer = try await DeviceKeyTests.redeem(web, code: code, jwt: nil, client: "other")
        #expect(try Self.origin(of: answer, web) == .app2app)
    }
}
