import OAuth
import TestSupport
import Testing

/// What Authgear's SDKs send beside what their documents say (decision 0171).
@Suite("Habits of SDKs") struct SDKHabitTests {
    private typealias Tokens = AppSessionTokenTests

    @Test("settings that are opened with `code` open, without one (React Native, Capacitor)")
    func code() async throws {
        let web = try await WebSide()
        let (_, token) = try await Tokens.tokens(web)
        let asked = [
            "response_type": "code", "scope": "openid offline_access", "state": "s",
            "code_challenge": DeviceKeyTests.challenge, "code_challenge_method": "S256",
        ]
        let elsewhere = try await Tokens.open(
            web,
            token,
            asked.merging(["redirect_uri": TokenSide.redirectURI]) { $1 }
        )
        #expect(elsewhere.field("Location").first?.contains("error=login_required") == true)
        #expect(!elsewhere.field("Set-Cookie").contains { $0.contains("chancery_settings") })
        let opened = try await Tokens.open(web, token, asked)
        let location = try #require(opened.field("Location").first)
        #expect(location.hasPrefix(Tokens.settings) && !location.contains("code="))
        #expect(opened.field("Set-Cookie").count == 1)
    }

    @Test("times with fractions, or an exponent (Flutter, and on Android)", arguments: ["", "E9"])
    func fractions(_ exponent: String) async throws {
        let user = try await BiometricTests.User(WebSide(), registered: false)
        func time(_ seconds: Int64) -> JSON {
            let digits = "\(seconds)473"
            let whole = exponent.isEmpty ? 10 : 1
            return .decimal("\(digits.prefix(whole)).\(digits.dropFirst(whole))\(exponent)")
        }
        func dated(_ members: Members) -> Members {
            members.setting("iat", time(DPoPTests.now)).setting("exp", time(DPoPTests.now + 60))
        }
        let setup = try await user.setUp(user.jwt("setup", dated))
        #expect(setup.status == 200, "\(setup.body)")
        let login = try await user.authenticate(user.jwt("authenticate", dated))
        #expect(login.status == 200, "\(login.body)")
    }
}
