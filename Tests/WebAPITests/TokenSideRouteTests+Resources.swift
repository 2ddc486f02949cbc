import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

/// For whom tokens are meant (`resource`, RFC 8707; WireContract 5.1 and 8.3).
extension TokenSideRouteTests {
    private static let api = "https://api.example.com"
    private static let payments = "https://payments.example.com"
    private static let issuer = "https://auth.example.com"

    /// An app that calls two APIs.
    private static func twoAPIs() async throws -> WebSide {
        let web = try await WebSide()
        var settings = web.side.project.settings
        settings.resources.append(.init(uri: payments, scopes: []))
        settings.clients[0].defaultResources = [api, payments]
        try await web.side.apply(settings)
        return web
    }

    private static func refresh(_ web: WebSide, _ former: Answer, _ more: String = "")
        async throws -> Answer
    {
        let token = try #require(former["refresh_token"]?.string, "\(former.body)")
        return try await DPoPTests.refresh(web, token + more)
    }

    @Test("an app that calls two APIs may ask for a token for one of them, each time anew")
    func narrows() async throws {
        let web = try await Self.twoAPIs()
        let first = try await redeem(web, "&resource=\(Self.payments)")
        #expect(web.claims(of: first)?.audience == [Self.payments, Self.issuer])
        let second = try await Self.refresh(web, first)
        #expect(web.claims(of: second)?.audience == [Self.api, Self.payments, Self.issuer])
        let third = try await Self.refresh(web, second, "&resource=\(Self.api)")
        #expect(web.claims(of: third)?.audience == [Self.api, Self.issuer])
        let both = "&resource=\(Self.payments)&resource=\(Self.api)"
        let fourth = try await Self.refresh(web, third, both)
        #expect(web.claims(of: fourth)?.audience == [Self.api, Self.payments, Self.issuer])
        let foreign = try await web.expectNothingRecorded {
            try await Self.refresh(web, fourth, "&resource=https://nowhere.example")
        }
        #expect(foreign.word == "400 invalid_target")
    }

    @Test("what a user's login was asked for bounds all tokens that come of it")
    func granted() async throws {
        let web = try await Self.twoAPIs()
        var browser = WebBrowser(web)
        let asked = PushedRequestTests.form([
            "resource": Self.payments, "scope": "openid%20offline_access",
            "code_challenge": DeviceKeyTests.challenge,
        ])
        let start = try await browser.get("/oauth2/authorize?\(asked)")
        let code = try await browser.logIn(from: start, typing: "a%40example.com").code()
        let other = "&resource=\(Self.api)"
        let beyond = try await web.expectNothingRecorded {
            try await DeviceKeyTests.redeem(web, code: code + other, jwt: nil)
        }
        #expect(beyond.word == "400 invalid_target")
        let first = try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
        #expect(web.claims(of: first)?.audience == [Self.payments, Self.issuer])
        let wider = try await web.expectNothingRecorded {
            try await Self.refresh(web, first, other)
        }
        #expect(wider.word == "400 invalid_target")
        let second = try await Self.refresh(web, first)
        #expect(web.claims(of: second)?.audience == [Self.payments, Self.issuer])
    }
}
