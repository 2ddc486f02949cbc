import HTTPServer
import InMemory
import OAuth
import TestSupport
import Testing

@Suite("A button pressed twice, over HTTP") struct PressedTwiceTests {
    @Test("attack: a code that was redeemed is not given again") func redeemed() async throws {
        let web = try await WebSide()
        let session = PushedReloadTests.signedIn(web)
        let query = PageSide.query(
            "app",
            [
                "redirect_uri": TokenSide.redirectURI, "prompt": "select_account",
                "code_challenge": DeviceKeyTests.challenge,
            ]
        )
        let start = try await web.send(
            .get,
            "/oauth2/authorize?\(query)",
            fields: [("cookie", session)]
        )
        let cookies = try PushedReloadTests.cookies(web, start)
        let page = try await web.send(
            .get,
            try #require(start.field("Location").first),
            fields: [("cookie", cookies)]
        )
        func press() async throws -> Answer {
            try await web.send(
                .post,
                "/continue",
                fields: [
                    ("cookie", cookies), ("origin", "https://auth.example.com"),
                    ("content-type", WebSide.form),
                ],
                body: Array((page.fields + "&action=continue").utf8)
            )
        }
        let first = try await press()
        #expect(first.status == 303)
        let second = try await web.expectNothingRecorded { try await press() }
        #expect(second.field("Location") == first.field("Location"))
        #expect(try await DPoPTests.redeem(web, code: try first.code()).status == 200)
        let third = try await web.expectNothingRecorded { try await press() }
        #expect(third.status == 400 && third.field("Location").isEmpty)
    }

    @Test("attack: the code of an app's session, without the app's cookie or after its end")
    func continued() async throws {
        let side = try await ContinuationTests.Side()
        let start = try await side.authorize()
        let page = try await side.page(after: start)
        func press(_ side: ContinuationTests.Side) async throws -> Answer {
            try await side.press("continue", on: page, after: start)
        }
        let first = try await press(side)
        #expect(first.field("Location").first?.contains("?code=ac_") == true)
        var without = side
        without.cookie = ""
        let cookieless = try await side.web.expectNothingRecorded { try await press(without) }
        #expect(cookieless.status == 400)
        let again = try await side.web.expectNothingRecorded { try await press(side) }
        #expect(again.field("Location") == first.field("Location"))
        let token = try #require(side.app["refresh_token"]?.string)
        _ = try await side.web.post("/oauth2/revoke", "token=\(token)")
        let late = try await side.web.expectNothingRecorded { try await press(side) }
        #expect(late.status == 400)
    }
}
