import HTTPServer
import TestSupport
import Testing
import WebAPI

/// Whom limits and the log know a request to be of that names its client by an assertion alone
/// (Security 9, L4 and L9).
@Suite("Limits of clients with assertions") struct AssertionLimitTests {
    /// What says that it is of `client`, and proves nothing.
    private static func assertion(of client: String) -> String {
        let type = "urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
        return "client_assertion_type=\(type)&client_assertion=\(client)"
    }

    @Test(
        "guessing one client's assertion does not keep another client out",
        arguments: ["", "&client_id="]
    )
    func guessing(_ more: String) async throws {
        let web = try await WebSide(limits: [.failedClientAuthentication: .init(perMinute: 2)])
        let form = "token=a&\(Self.assertion(of: "api"))\(more)"
        for _ in 0..<2 {
            #expect(try await web.post("/oauth2/introspect", form).status == 401)
        }
        #expect(try await web.post("/oauth2/introspect", form).status == 429)
        let other = try await web.post(
            "/oauth2/introspect",
            "token=a",
            ["authorization": "Basic d2ViOmEtc2VjcmV0"]
        )
        #expect(other.status == 200)
    }

    @Test("pushed requests count for the client that proves itself, not for one that is named")
    func flood() async throws {
        let web = try await WebSide(limits: [.pagePerClient: .init(perMinute: 2)])
        let (wrong, right) = ("Basic d2ViOnNlY3JldA==", "Basic d2ViOmEtc2VjcmV0")
        func push(_ credentials: String) async throws -> Answer {
            try await web.post("/oauth2/par", "scope=openid", ["authorization": credentials])
        }
        for _ in 0..<3 {
            #expect(try await web.post("/oauth2/par", Self.assertion(of: "api")).status == 401)
            #expect(try await push(wrong).status == 401)
        }
        for _ in 0..<2 { #expect(try await push(right).word == "400 invalid_request") }
        #expect(try await push(right).word == "429 x_rate_limited")
        #expect(try await PushedRequestTests.push(web).status == 201)
    }

    @Test("and for their address, as visits of its pages do") func floodOfAddress() async throws {
        let web = try await WebSide(limits: [.page: .init(perMinute: 60, burst: 2)])
        for _ in 0..<2 { #expect(try await PushedRequestTests.push(web).status == 201) }
        let third = try await PushedRequestTests.push(web)
        #expect(third.status == 429 && third.error == "x_rate_limited")
        #expect(third.field("retry-after") == ["1"])
    }

    @Test("what is too long for an assertion names nobody") func tooLong() async throws {
        let web = try await WebSide(limits: [.failedClientAuthentication: .init(perMinute: 1)])
        let form = "token=a&\(Self.assertion(of: String(repeating: "a", count: 8193)))"
        for _ in 0..<3 {
            #expect(try await web.post("/oauth2/introspect", form).status == 400)
        }
    }
}
