import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// What an app says of its phone (`x_device_info`, wire.md section 5.1): shown to its user, and
/// made by anybody.
@Suite("Names of phones") struct DeviceNameTests {
    static let pixel = #"{"android":{"Build":{"MANUFACTURER":"Google","MODEL":"Pixel 8"}}}"#

    /// An app's session with full access that says this of its phone.
    static func session(_ web: WebSide, _ info: String) async throws -> Answer {
        let code = try await web.side.code(scope: AppSessionTokenTests.scope)
        let text = String(decoding: Base64URL.encode(Array(info.utf8)), as: UTF8.self)
        return try await web.post(
            "/oauth2/token",
            "grant_type=authorization_code&client_id=app&code=\(code)&x_device_info=\(text)"
                + "&redirect_uri=\(TokenSide.redirectURI)&code_verifier=\(TokenSide.verifier)"
        )
    }

    /// An application of this name.
    private static func app(_ name: String) -> String {
        #"{"android":{"ApplicationInfoLabel":"\#(name)"}}"#
    }

    static let rows: [(info: String, device: String?, application: String?)] = [
        (pixel, "Google Pixel 8", nil),
        (
            #"{"ios":{"uname":{"machine":"iPhone15,2"},"NSBundle":{"CFBundleName":"Bank"}}}"#,
            "iPhone15,2", "Bank"
        ),
        (#"{"android":{"Build":{"MANUFACTURER":"","MODEL":"Pixel 8"}}}"#, "Pixel 8", nil),
        (app(#"A\u0000\nB"#), nil, "AB"),
        // C1, where CSI is; bidirectional overrides and isolates; separators; widthless; private.
        (app(#"A\u009BB"#), nil, "AB"), (app(#"\u202Eknab\u202C"#), nil, "knab"),
        (app(#"A\u2066B\u2069"#), nil, "AB"), (app(#"A\u2028B\u2029C"#), nil, "ABC"),
        (app(#"A\u200B\u200FB\uFEFF"#), nil, "AB"), (app(#"A\uE000B"#), nil, "AB"),
        (app(#"A\uFFFFB\u3164"#), nil, "AB"),
        (app("  Bank \u{3000}"), nil, "Bank"), (app(" "), nil, nil), (app(#"\u200B"#), nil, nil),
        (app("Банк 銀行 é"), nil, "Банк 銀行 é"),
        (app(String(repeating: "a", count: 81)), nil, String(repeating: "a", count: 80)),
        (#"{"other":{}}"#, nil, nil), (#"{"ios":{"uname":{"machine":1}}}"#, nil, nil),
    ]

    @Test(
        "are shown as the app gave them, cut, without what fools eyes and terminals",
        arguments: rows
    )
    func names(_ row: (info: String, device: String?, application: String?)) async throws {
        let web = try await WebSide()
        let mine = try await Self.session(web, row.info)
        let answer = try await SessionAPITests.send(web, .get, mine)
        let session = try #require(try SessionAPITests.list(answer).first)
        #expect(session["device"]?.string == row.device)
        #expect(session["application"]?.string == row.application)
    }

    @Test("a user whose key is gone logs in without a name, and keeps none") func erased()
        async throws
    {
        let web = try await WebSide()
        let before = try await Self.session(web, Self.pixel)
        try await web.side.sealer.destroyKey(web.side.subject.stream, by: Fixture.noDeadline)
        let after = try await Self.session(web, Self.pixel)
        #expect(after.status == 200, "\(after.body)")
        let list = try SessionAPITests.list(try await SessionAPITests.send(web, .get, before))
        #expect(list.count == 3)
        #expect(list.compactMap { $0["device"] }.isEmpty)
    }

    @Test("a biometric login and an app let in keep theirs") func otherLogins() async throws {
        let web = try await WebSide()
        let user = try await BiometricTests.User(web)
        let text = String(decoding: Base64URL.encode(Array(Self.pixel.utf8)), as: UTF8.self)
        let login = try await user.authenticate(
            user.jwt("authenticate"),
            "&x_device_info=\(text)"
        )
        #expect(login.status == 200, "\(login.body)")
        let answer = try await SessionAPITests.send(web, .get, login)
        let session = try #require(try SessionAPITests.list(answer).first)
        #expect(session["is_current"] == true)
        #expect(session["device"] == "Google Pixel 8")
    }
}
