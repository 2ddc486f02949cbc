import Crypto
import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Who may set a biometric key up, and how many (WireContract 5.5, Security I7).
@Suite("Setting up biometric keys") struct BiometricEnrolmentTests {
    @Test("takes a token with full access: the key will log in with all that the client may")
    func narrowToken() async throws {
        let user = try await BiometricTests.User(WebSide(), registered: false)
        let before = user.web.commits
        let narrow = try await DPoPTests.redeem(user.web, scope: "openid offline_access")
        let token = try #require(narrow["access_token"]?.string)
        let answer = try await user.setUp(user.jwt("setup"), token: token)
        #expect(answer.status == 403)
        #expect(answer.error == "insufficient_scope")
        #expect(answer["scope"]?.string == UserAccess.scope)
        // The code and its redemption, nothing else.
        #expect(user.web.commits == before + 2)
    }

    @Test("takes no token that was made for a resource server alone") func otherAudience()
        async throws
    {
        let user = try await BiometricTests.User(WebSide(), registered: false)
        let scope = "offline_access \(UserAccess.scope)"
        let foreign = try await DPoPTests.redeem(user.web, scope: scope)
        let token = try #require(foreign["access_token"]?.string)
        let answer = try await user.setUp(user.jwt("setup"), token: token)
        #expect(answer.status == 401)
        #expect(answer.error == "invalid_token")
    }

    @Test("what is wrong with the key comes before what is wrong with the target") func order()
        async throws
    {
        let user = try await BiometricTests.User(WebSide())
        let jwt = try user.jwt("authenticate_app2app", by: Phone().key) {
            $0.setting("client_id", "nobody")
        }
        let answer = try await user.authenticate(jwt, user.link)
        #expect(answer["error_description"]?.string == "InvalidCredentials")
    }
}
