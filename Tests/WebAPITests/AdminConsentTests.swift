import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// What an operator does about what a user has allowed applications (decision 0175).
@Suite("A user who calls: I did not mean to allow that") struct AdminConsentTests {
    private let web: WebSide
    private let admin: AdminSide
    private var side: TokenSide { web.side }
    private var path: String { "/admin/v1/subjects/\(side.subject)/consents" }

    init() async throws {
        web = try await WebSide()
        admin = try await AdminSide(on: web.side)
    }

    private func name(_ client: String) -> StreamID {
        StreamNames(side.digester)
            .consent(side.subject, Sample.client(client), in: side.project.number)
    }

    private func give(_ client: String, _ scope: String) async throws {
        try await side.run(Consent.self, name(client), for: side.subject) {
            .give(Sample.client(client), Sample.scope(scope))
        }
    }

    private func withdraw(_ client: String, _ more: String = "", from path: String? = nil)
        async throws -> Answer
    {
        try await admin.send(
            .post,
            "\(path ?? self.path)/withdraw\(more)",
            as: .operate,
            body: #"{"client_id":"\#(client)","reason":"called at noon"}"#
        )
    }

    @Test("what did I allow, and to whom? The newest first, each once") func lists() async throws {
        let none = try await admin.send(.get, path, as: .read)
        #expect(none.body == #"{"result":{"consents":[],"has_more":false}}"#)
        try await give("invest", "openid")
        try await give("offers", "openid email")
        try await give("invest", "offline_access")
        let shown = try await admin.send(.get, path, as: .read)
        let sub = side.subject
        #expect(
            shown.body == #"{"result":{"consents":["#
                + #"{"client_id":"invest","scope":"offline_access openid","sub":"\#(sub)"},"#
                + #"{"client_id":"offers","scope":"email openid","sub":"\#(sub)"}],"#
                + #""has_more":false}}"#
        )
    }

    @Test("one that cannot be read hides no other, here and at the settings") func damaged()
        async throws
    {
        try await give("invest", "openid")
        try await give("offers", "openid")
        side.store.spoil(name("invest"))
        let shown = try await admin.send(.get, path, as: .read)
        #expect(
            shown.body == #"{"result":{"consents":["#
                + #"{"client_id":"offers","scope":"openid","sub":"\#(side.subject)"}],"#
                + #""has_more":false,"unreadable":1}}"#
        )
        side.store.spoil(name("offers"))
        let none = try await admin.send(.get, path, as: .read)
        #expect(none.body == #"{"result":{"consents":[],"has_more":false,"unreadable":2}}"#)
        let page = try await SettingsSide(web).get()
        #expect(page.status == 200 && page.body.contains("What you have allowed"))
        #expect(page.body.contains("Not every application can be shown now."))
    }

    @Test("is that all? 200 are shown, and that there are more") func isCut() async throws {
        for number in 1...200 { try await give("c\(number)", "openid") }
        let all = try await admin.send(.get, path, as: .read)
        #expect(all.body.hasSuffix(#","has_more":false}}"#))
        try await give("c201", "openid")
        let cut = try await admin.send(.get, path, as: .read)
        #expect(cut.body.hasSuffix(#","has_more":true}}"#))
        #expect(cut.body.contains(#""c201""#) && cut.body.contains(#""c2""#))
        #expect(!cut.body.contains(#""c1""#))
    }

    @Test("take it back: its sessions end; asked again, it had been before") func withdraws()
        async throws
    {
        try await give("invest", "openid offline_access")
        try await give("offers", "openid")
        let session = try await NativeSSOTests.session(
            web,
            client: "invest",
            scope: "openid offline_access"
        )
        #expect(try await withdraw("invest").body == #"{"result":{"withdrawn":true}}"#)
        let by = try #require(side.store.commits.last).attributes
        #expect(by.actor == .operator(name: "operate") && by.reason == "called at noon")
        #expect(by.subject == side.subject && by.client == Sample.client("invest"))
        #expect(try await !NativeSSOTests.isActive(web, session))
        let late = try await web.expectNothingRecorded { try await withdraw("invest") }
        #expect(late.body == #"{"result":{"withdrawn":false}}"#)
        let left = try await admin.send(.get, path, as: .read)
        let names = left.result?["consents"]?.array?.map { $0["client_id"] }
        #expect(names == ["offers"])
    }

    @Test("of a user who is disabled, too") func disabled() async throws {
        try await give("invest", "openid")
        try await side.run(Subject.self, side.subject.stream) { .disable(.operator) }
        #expect(try await withdraw("invest").status == 200)
    }

    @Test("what is not there is told by its name, and nothing changes") func absent() async throws {
        try await give("invest", "openid")
        let nobody = "/admin/v1/subjects/80000000-0000-8000-8000-000000000000/consents"
        let shop = try SharedHostTests.project("shop", "shop.example.com", 2, beside: side)
        side.projects.replace(shop)
        let unknown = "the subject has given no consent to this client"
        try await web.expectNothingRecorded {
            let answers: [(Answer, String)] = [
                (try await withdraw("offers", "?project=bank"), unknown),
                (try await withdraw("in vest", "?project=bank"), unknown),
                (try await withdraw("invest", "?project=bank", from: nobody), "no such subject"),
                (try await withdraw("invest", "?project=shop"), "no such subject"),
                (try await admin.send(.get, "\(nobody)?project=bank"), "no such subject"),
                (try await admin.send(.get, "\(path)?project=shop"), "no such subject"),
            ]
            for (answer, said) in answers {
                #expect(answer.status == 404, "\(answer.body)")
                #expect(answer["error"]?["message"]?.string == said)
            }
        }
    }
}
