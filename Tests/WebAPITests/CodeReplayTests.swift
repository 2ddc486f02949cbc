import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

/// A code that comes again (WireContract 5.2 step 4, Security 4.1).
@Suite("Codes that come again, over HTTP") struct CodeReplayTests {
    private static func refresh(_ web: WebSide, _ answer: Answer) async throws -> Answer {
        try await DPoPTests.refresh(web, try #require(answer["refresh_token"]?.string))
    }

    private static func events(_ web: WebSide, after count: Int) -> [String] {
        web.newestEvents(after: count).map { event in
            switch event {
            case .authorizationCode(.replayed): "replayed"
            case .offlineGrant(.revoked(.codeReplay)): "revoked"
            default: "\(event)"
            }
        }
    }

    @Test("attack: whoever lacks the verifier, the client or the address logs nobody out")
    func unproven() async throws {
        let web = try await WebSide()
        let code = try await web.side.code()
        let opened = try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
        let used = try await Self.refresh(web, opened)
        web.side.clock.advance(seconds: 11)
        let changes = [
            ["code_verifier": String(repeating: "v", count: 43)], ["code_verifier": ""],
            ["redirect_uri": "https://app.example.com/other"], ["redirect_uri": ""],
            ["client_id": "other"],
        ]
        for change in changes {
            let all = ["client_id": "app"].merging(change) { $1 }
            let answer = try await web.expectNothingRecorded("\(change)") {
                try await App2AppCodeTests.redeem(web, code, all)
            }
            #expect(answer.error == "invalid_grant", "\(change)")
        }
        #expect(try await Self.refresh(web, used).status == 200)
    }

    @Test("a phone's garbage beside a code is looked at after the code, which is what is final")
    func besideGarbage() async throws {
        let web = try await WebSide()
        let code = try await web.side.code()
        let opened = try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
        let made = "ac_" + String(repeating: "A", count: 64)
        let unknown = try await web.expectNothingRecorded {
            try await DeviceKeyTests.redeem(web, code: made, jwt: "a.b.c")
        }
        #expect(unknown.word == "400 invalid_grant")
        web.side.clock.advance(seconds: 11)
        let replay = try await DeviceKeyTests.redeem(web, code: code, jwt: "a.b.c")
        #expect(replay.word == "400 invalid_grant" && replay.refusal?.id == "AC-004")
        #expect(try await Self.refresh(web, opened).error == "invalid_grant")
    }

    @Test("attack: whoever has all of it ends what was issued, by two events, once")
    func proven() async throws {
        let web = try await WebSide()
        let code = try await web.side.code()
        let opened = try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
        web.side.clock.advance(seconds: 11)
        let before = web.commits
        let replay = try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
        #expect(replay.error == "invalid_grant")
        #expect(Self.events(web, after: before) == ["replayed", "revoked"])
        try await web.expectNothingRecorded {
            let answers = [
                try await DeviceKeyTests.redeem(web, code: code, jwt: nil),
                try await Self.refresh(web, opened),
            ]
            #expect(answers.map(\.error) == ["invalid_grant", "invalid_grant"])
        }
    }

    @Test("a retry of an app whose answer was lost ends nothing within ten seconds")
    func retried() async throws {
        let web = try await WebSide()
        let code = try await web.side.code()
        let opened = try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
        web.side.clock.advance(seconds: 9)
        let retry = try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
        #expect(retry.error == "invalid_grant")
        #expect(try await Self.refresh(web, opened).status == 200)
    }

    @Test("and uses up no proof that comes with it, nor does a replay that was recorded before")
    func unspent() async throws {
        let web = try await WebSide()
        let phone = try Phone()
        let code = try await web.side.code()
        let first = try DPoPTests.proof(phone, "1")
        #expect(try await DPoPTests.redeem(web, code: code, proof: first).status == 200)
        for (seconds, id) in [(9, "2"), (2, "3"), (0, "4")] as [(Int64, String)] {
            web.side.clock.advance(seconds: seconds)
            let before = web.commits
            let proof = try DPoPTests.proof(phone, id)
            let replay = try await DPoPTests.redeem(web, code: code, proof: proof)
            #expect(replay.error == "invalid_grant", "\(replay.body)")
            // The second one, past the grace, is recorded with all that it brought.
            #expect((web.commits == before) == (id != "3"), "\(id)")
        }
    }

    /// What an app can do here with what a code gave it, beside a refresh.
    enum Use: String, CaseIterable, Sendable {
        case approval = "it let another app in"
        case nativeSSO = "another app joined by its device secret"
        case exchange = "it got a URL for its browser"
        case url = "it opened the URL"
        case key = "it set a biometric key up"
    }

    /// A code whose tokens were used, and its refresh token.
    private static func use(_ use: Use, _ web: WebSide)
        async throws -> (code: String, token: String)
    {
        if use == .key {
            let user = try await BiometricTests.User(web)
            return (user.code, user.refreshToken)
        }
        let phone = try Phone()
        let jwt = try phone.jwt(phone.header(), DeviceKeyTests.payload(web))
        let code = try await web.side.code(scope: PreAuthenticatedURLTests.scope)
        let opened = try await DeviceKeyTests.redeem(web, code: code, jwt: jwt)
        let token = try #require(opened["refresh_token"]?.string, "\(opened.body)")
        switch use {
        case .approval:
            let owner = App2AppTests.Owner(web, phone, refreshToken: token)
            #expect(try await owner.approve(owner.jwt()).status == 200)
        case .nativeSSO:
            let joined = try await NativeSSOTests.send(web, NativeSSOTests.form(opened))
            #expect(joined.status == 200, "\(joined.body)")
        case .exchange, .url:
            let exchanged = try await PreAuthenticatedURLTests.exchange(web, opened)
            #expect(exchanged.status == 200, "\(exchanged.body)")
            guard use == .url else { break }
            let page = try await PreAuthenticatedURLTests.open(web, exchanged)
            #expect(page.field("Set-Cookie").count == 2)
        case .key: break
        }
        return (code, token)
    }

    @Test(
        "attack: once a token of it was used a code that comes again ends all, also at once",
        arguments: Use.allCases
    )
    func used(_ use: Use) async throws {
        let web = try await WebSide()
        let (code, token) = try await Self.use(use, web)
        web.side.clock.advance(seconds: 3)
        let before = web.commits
        let replay = try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
        #expect(replay.error == "invalid_grant")
        #expect(Self.events(web, after: before).prefix(2) == ["replayed", "revoked"])
        #expect(try await DPoPTests.refresh(web, token).error == "invalid_grant")
    }

    /// When the code comes again, and whether the thief has ended the session before.
    static let replays: [(seconds: Int64, isEnded: Bool)] = [
        (3, false), (40, false), (3, true), (40, true),
    ]

    @Test("attack: a key that a thief's code set up logs nobody in", arguments: replays)
    func keyOfThief(_ replay: (seconds: Int64, isEnded: Bool)) async throws {
        let web = try await WebSide()
        let user = try await BiometricTests.User(web)
        let login = try await user.authenticate(user.jwt("authenticate"))
        let opened = try #require(login["refresh_token"]?.string)
        // Another one, set up by what the first has opened.
        let second = try await BiometricTests.User(web, kid: "kid-0002", registered: false)
        let setup = try await second.setUp(
            second.jwt("setup"),
            token: #require(login["access_token"]?.string)
        )
        #expect(setup.status == 200, "\(setup.body)")
        if replay.isEnded {
            let form = "token=\(user.refreshToken)"
            #expect(try await web.post("/oauth2/revoke", form).status == 200)
        }
        web.side.clock.advance(seconds: replay.seconds)
        let answer = try await DeviceKeyTests.redeem(web, code: user.code, jwt: nil)
        #expect(answer.error == "invalid_grant")
        #expect(try await DPoPTests.refresh(web, opened).error == "invalid_grant")
        for thief in [user, second] {
            let again = try await web.expectNothingRecorded {
                try await thief.authenticate(thief.jwt("authenticate"))
            }
            #expect(again.status != 200, "\(again.body)")
        }
    }

    @Test("an old code touches no key of a login that is over", arguments: [true, false])
    func oldCode(_ isLoggedOut: Bool) async throws {
        let web = try await WebSide()
        let user = try await BiometricTests.User(web)
        var seconds: Int64 = 3601
        if isLoggedOut {
            let form = "token=\(user.refreshToken)"
            #expect(try await web.post("/oauth2/revoke", form).status == 200)
        } else {
            // It has expired, which no event says.
            seconds = 181 * 86_400
        }
        web.side.clock.advance(seconds: seconds)
        let answer = try await DeviceKeyTests.redeem(web, code: user.code, jwt: nil)
        #expect(answer.error == "invalid_grant")
        let login = try user.jwt("authenticate") { members in
            members.setting("iat", .integer(BiometricTests.now + seconds))
                .setting("exp", .integer(BiometricTests.now + seconds + 60))
        }
        #expect(try await user.authenticate(login).status == 200)
    }

    @Test("a key that another session of the user sets up is no use of this one's tokens")
    func otherKey() async throws {
        let web = try await WebSide()
        let user = try await BiometricTests.User(web, registered: false)
        let code = try await web.side.code()
        let opened = try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
        #expect(try await user.setUp(user.jwt("setup")).status == 200)
        web.side.clock.advance(seconds: 3)
        let retry = try await web.expectNothingRecorded {
            try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
        }
        #expect(retry.error == "invalid_grant")
        #expect(try await Self.refresh(web, opened).status == 200)
    }

    @Test("attack: another web client redeems the code of an app's user who went on in a browser")
    func continued() async throws {
        let side = try await ContinuationTests.Side()
        let code = try await side.code()
        for client in ["offers2", "app", "invest"] {
            let answer = try await side.web.expectNothingRecorded(client) {
                try await DeviceKeyTests.redeem(side.web, code: code, jwt: nil, client: client)
            }
            #expect(answer.word == "400 invalid_grant", "\(client)")
        }
        #expect(try await side.redeem(code).status == 200)
    }

    @Test("a code is good for a minute") func late() async throws {
        let web = try await WebSide()
        let code = try await web.side.code()
        web.side.clock.advance(seconds: 60)
        let answer = try await web.expectNothingRecorded {
            try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
        }
        #expect(answer.error == "invalid_grant")
    }
}
