import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// What the code of an approval is bound to, and what is recorded of an approval
/// (WireContract 5.4, Security 4.3).
@Suite("Codes of app2app over HTTP") struct App2AppCodeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var changes: [String: String]
        var error = "invalid_grant"
    }

    static let rows = [
        Row(testDescription: "redeemed by the owner", changes: ["client_id": "app"]),
        Row(testDescription: "redeemed by a third app", changes: ["client_id": "invest"]),
        Row(
            testDescription: "with another redirect URI",
            changes: ["redirect_uri": "https://app.example.com/other"]
        ),
        Row(testDescription: "without redirect URI", changes: ["redirect_uri": ""]),
        Row(
            testDescription: "with another verifier",
            changes: ["code_verifier": String(repeating: "v", count: 43)]
        ),
        Row(testDescription: "without verifier", changes: ["code_verifier": ""]),
    ]

    static func redeem(_ web: WebSide, _ code: String, _ changes: [String: String] = [:])
        async throws -> Answer
    {
        var fields = [
            "grant_type": "authorization_code", "client_id": "other", "code": code,
            "redirect_uri": TokenSide.redirectURI, "code_verifier": TokenSide.verifier,
        ]
        fields.merge(changes) { $1 }
        let form = fields.filter { !$0.value.isEmpty }.map { "\($0)=\($1)" }
        return try await web.post("/oauth2/token", form.joined(separator: "&"))
    }

    @Test("attack: the code of an approval", arguments: rows) func bound(_ row: Row) async throws {
        let owner = try await App2AppTests.Owner(WebSide())
        let code = try #require(try await owner.approve(owner.jwt())["code"]?.string)
        let answer = try await owner.web.expectNothingRecorded {
            try await Self.redeem(owner.web, code, row.changes)
        }
        #expect(answer.status == 400)
        #expect(answer.error == row.error)
        #expect(try await Self.redeem(owner.web, code).status == 200)
    }

    @Test("the code of an approval is good for a minute") func late() async throws {
        let owner = try await App2AppTests.Owner(WebSide())
        let code = try #require(try await owner.approve(owner.jwt())["code"]?.string)
        owner.web.side.clock.advance(seconds: 60)
        let answer = try await owner.web.expectNothingRecorded {
            try await Self.redeem(owner.web, code)
        }
        #expect(answer.error == "invalid_grant")
    }

    @Test("a retry with a new challenge gives a new code, and the first stays good")
    func retry() async throws {
        let owner = try await App2AppTests.Owner(WebSide())
        let first = try #require(try await owner.approve(owner.jwt())["code"]?.string)
        let second = try #require(try await owner.approve(owner.jwt())["code"]?.string)
        #expect(first != second)
        for code in [first, second] {
            #expect(try await Self.redeem(owner.web, code).status == 200)
        }
    }

    /// A third-party target that the owner lists by name.
    private func listing() async throws -> WebSide {
        let web = try await WebSide()
        var settings = web.side.project.settings
        settings.clients[0].app2app = .init(targets: [Sample.client("other")])
        settings.clients[1].applicationType = .thirdPartyApp
        settings.clients[1].consentRequired = true
        try await web.side.apply(settings)
        return web
    }

    @Test("a third party that is listed gets what the user agreed to by approving it: a consent")
    func consent() async throws {
        let web = try await listing()
        let owner = try await App2AppTests.Owner(web)
        let before = web.commits
        #expect(try await owner.approve(owner.jwt()).status == 200)
        let given = web.newestEvents(after: before).filter {
            if case .consent(.given) = $0 { true } else { false }
        }
        #expect(given.count == 1)
        let name = StreamNames(web.side.digester)
            .consent(web.side.subject, Sample.client("other"), in: web.side.project.number)
        let state = try await web.side.store.load(Consent.self, name, by: Fixture.noDeadline).state
        #expect(state == .given(Sample.client("other"), Sample.scope("openid offline_access")))
        // The same again is nothing new.
        let again = web.commits
        #expect(try await owner.approve(owner.jwt()).status == 200)
        #expect(
            !web.newestEvents(after: again).contains {
                if case .consent = $0 { true } else { false }
            }
        )
    }

    @Test("attack: a third party that is not listed is let in by nobody") func unlisted()
        async throws
    {
        let web = try await WebSide()
        var settings = web.side.project.settings
        settings.clients[1].applicationType = .thirdPartyApp
        try await web.side.apply(settings)
        let owner = try await App2AppTests.Owner(web)
        let jwt = try owner.jwt()
        let answer = try await web.expectNothingRecorded { try await owner.approve(jwt) }
        #expect(answer.error == "unauthorized_client")
    }

    @Test("an approval is one event of the owner's session, and an insecure binding says so")
    func events() async throws {
        let web = try await WebSide()
        let always = Instant(microseconds: .max)
        try await App2AppTests.configure(web, .init(insecureBindingUntil: always))
        let owner = try await App2AppTests.Owner(web, bound: false)
        let bare = try owner.phone.jwt(
            owner.phone.header(embeds: false),
            DeviceKeyTests.payload(web)
        )
        let refused = try await web.expectNothingRecorded { try await owner.approve(bare) }
        #expect(refused.error == "invalid_request")
        let before = web.commits
        #expect(try await owner.approve(owner.jwt()).status == 200)
        #expect(web.commits == before + 1)
        var insecure: [Bool] = []
        var approvals = 0
        for event in web.newestEvents(after: before) {
            switch event {
            case .offlineGrant(.deviceKeyBound(_, insecure: let flag)): insecure.append(flag)
            case .offlineGrant(.app2appApproved): approvals += 1
            default: break
            }
        }
        #expect(insecure == [true])
        #expect(approvals == 1)
        // The next approval binds nothing more, and a key bound at the login is not insecure.
        let later = web.commits
        #expect(try await owner.approve(owner.jwt()).status == 200)
        let login = try await App2AppTests.Owner(web)
        #expect(login.refreshToken.isEmpty == false)
        let bound = web.newestEvents(after: later).compactMap { event -> Bool? in
            if case .offlineGrant(.deviceKeyBound(_, let flag)) = event { flag } else { nil }
        }
        #expect(bound == [false])
    }
}
