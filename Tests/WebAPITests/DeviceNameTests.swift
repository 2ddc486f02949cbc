import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// What an app says of its phone (`x_device_info`, WireContract 5.1): shown to its user, and
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
        // Two marks stay, where there is something to stand on; white space is one space.
        (app(#"e\u0301\u0302\u0303\u0304"#), nil, "e\u{301}\u{302}"),
        (app(#"\u0301Bank \u20DDX"#), nil, "Bank X"), (app(#"กี่้"#), nil, "กี่"),
        (app(#"A\u00A0\u2003 B"#), nil, "A B"), (app(#"A\u2800B"#), nil, "A B"),
        (app(#"\u2800"#), nil, nil),
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

    @Test("one that was sealed by other rules is shown by today's") func sealedBefore()
        async throws
    {
        let web = try await WebSide()
        let mine = try await Self.session(web, Self.pixel)
        let id = try SessionAPITests.sid(of: mine, web)
        let grant = try await web.side.store.load(
            OfflineGrant.self,
            id.stream,
            by: Fixture.noDeadline
        )
        var opening = try #require(grant.state.session?.opening)
        let old = Sample.stream(0x0D)
        let key = try await web.side.sealer.key(
            web.side.subject.stream,
            of: web.side.project.number,
            by: Fixture.noDeadline
        )
        opening.device = key.seal(
            Array(#"{"device":"\u202EPixel  8\u2800"}"#.utf8),
            as: SealedPlace(stream: old, member: "device")
        )
        let token = OfflineGrant.AccessTokenIssue(
            token: TokenID(Sample.stream(0x0E)),
            client: opening.client,
            scope: opening.scope,
            via: .code,
            expiresAt: opening.expiresAt
        )
        try await web.side.run(OfflineGrant.self, old, for: web.side.subject) {
            .open(opening, refreshToken: nil, accessToken: token)
        }
        let path = "\(SessionAPITests.path)/\(SessionID(old))"
        let shown = try await SessionAPITests.send(web, .get, mine, path)
        #expect(shown["result"]?["session"]?["device"] == "Pixel 8")
    }

    @Test("a user whose key is gone logs in without a name, and keeps none") func erased()
        async throws
    {
        let web = try await WebSide()
        let before = try await Self.session(web, Self.pixel)
        web.side.sealer.destroyKey(web.side.subject.stream)
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
