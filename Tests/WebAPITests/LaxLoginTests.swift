import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// What an app may hand on of a login that was approved as its own policy allows, to a client whose
/// policy is stricter (WireContract 7.3; decision 0240).
@Suite("A login that another client's policy allowed") struct LaxLoginTests {
    /// How the app's login was approved, the policy of who is to be let in, and whether it is.
    struct Row: Sendable, CustomTestStringConvertible {
        var approval: LoginLink.Approval?
        var mode: LoginLink.Mode
        var isTaken: Bool

        init(_ approval: LoginLink.Approval?, at mode: LoginLink.Mode, isTaken: Bool) {
            self.approval = approval
            self.mode = mode
            self.isTaken = isTaken
        }

        var testDescription: String { "\(approval?.rawValue ?? "unknown") at \(mode.rawValue)" }
    }

    static let rows = [
        Row(.anyDevice, at: .automatic, isTaken: true), Row(nil, at: .automatic, isTaken: true),
        Row(.anyDevice, at: .confirm, isTaken: false), Row(nil, at: .confirm, isTaken: false),
        Row(.number, at: .confirm, isTaken: true), Row(.sameDevice, at: .confirm, isTaken: true),
        Row(.anyDevice, at: .deny, isTaken: false), Row(.number, at: .deny, isTaken: false),
        Row(.sameDevice, at: .deny, isTaken: true),
    ]

    /// Gives one client a policy; all others let any device approve.
    private static func configure(_ web: WebSide, _ client: String, _ mode: LoginLink.Mode)
        async throws
    {
        let id = web.side.project.settings.id
        var settings = try #require(web.side.projects.project(id: id)).settings
        for index in settings.clients.indices where settings.clients[index].id.text == client {
            settings.clients[index].loginLinkMode = mode
        }
        try await web.side.apply(settings)
    }

    private static func judge(
        _ row: Row,
        _ web: WebSide,
        _ request: () async throws -> Answer
    ) async throws {
        guard !row.isTaken else {
            let answer = try await request()
            return #expect(answer.status == 200, "\(answer.body)")
        }
        let answer = try await web.expectNothingRecorded { try await request() }
        #expect(answer.word == "400 unauthorized_client", "\(answer.body)")
    }

    private static func session(_ web: WebSide, _ approval: LoginLink.Approval?)
        async throws -> Answer
    {
        let scope = PreAuthenticatedURLTests.scope
        let code = try await web.side.code(scope: scope, approval: approval)
        return try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
    }

    @Test("attack: a login by a tap is shared with an app that wants more", arguments: rows)
    func sharing(_ row: Row) async throws {
        let web = try await WebSide()
        try await Self.configure(web, "invest", row.mode)
        let session = try await Self.session(web, row.approval)
        try await Self.judge(row, web) {
            try await NativeSSOTests.send(web, try NativeSSOTests.form(session))
        }
    }

    @Test("attack: a login by a tap opens the pages of a client that wants more", arguments: rows)
    func opening(_ row: Row) async throws {
        let web = try await WebSide()
        try await Self.configure(web, "offers", row.mode)
        let session = try await Self.session(web, row.approval)
        try await Self.judge(row, web) {
            try await PreAuthenticatedURLTests.exchange(web, session)
        }
    }

    @Test("attack: a login by a tap lets in an app that wants more, by device key", arguments: rows)
    func letting(_ row: Row) async throws {
        let web = try await WebSide()
        try await Self.configure(web, "other", row.mode)
        let owner = try await App2AppTests.Owner(web, approval: row.approval)
        let jwt = try owner.jwt()
        try await Self.judge(row, web) { try await owner.approve(jwt) }
    }

    @Test("attack: or by a biometric key that was set up after it", arguments: rows)
    func fingers(_ row: Row) async throws {
        let web = try await WebSide()
        try await Self.configure(web, "other", row.mode)
        let user = try await BiometricTests.User(web, approval: row.approval)
        // The key's own client lets it in, whatever it is worth elsewhere.
        #expect(try await user.authenticate(user.jwt("authenticate")).status == 200)
        let jwt = try user.jwt("authenticate_app2app") { $0.setting("client_id", "other") }
        try await Self.judge(row, web) { try await user.authenticate(jwt, user.link) }
    }

    @Test("attack: whoever lets in whom it may not learns nothing of its key and its challenge")
    func order() async throws {
        let web = try await WebSide()
        try await Self.configure(web, "other", .confirm)
        let owner = try await App2AppTests.Owner(web, approval: .anyDevice)
        let user = try await BiometricTests.User(web, approval: .anyDevice)
        let answers = [
            try await web.expectNothingRecorded { try await owner.approve("no-jwt") },
            try await web.expectNothingRecorded {
                let jwt = try user.jwt("authenticate_app2app") {
                    $0.setting("client_id", "other").setting("challenge", "ch_unknown")
                }
                return try await user.authenticate(jwt, user.link)
            },
        ]
        for answer in answers {
            #expect(answer.word == "400 unauthorized_client", "\(answer.body)")
            #expect(answer.refusal?.id == "AP-009")
        }
    }

    @Test("a browser that an app let in goes on at no client that wants more than its login")
    func continuing() async throws {
        let side = try await ContinuationTests.Side()
        #expect(ContinuationTests.goesTo("/continue", try await side.authorize()))
        try await Self.configure(side.web, "offers2", .confirm)
        #expect(ContinuationTests.goesTo("/login", try await side.authorize(client: "offers2")))
        #expect(ContinuationTests.goesTo("/continue", try await side.authorize()))
    }
}
