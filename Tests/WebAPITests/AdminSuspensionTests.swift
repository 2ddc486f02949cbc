import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// An operator suspends a project and lets it go on (decision 0201).
@Suite("Suspending a project") struct AdminSuspensionTests {
    private static func post(_ admin: AdminSide, _ verb: String, _ query: String = "")
        async throws -> Answer
    {
        try await admin.send(
            .post,
            "/admin/v1/project/\(verb)\(query)",
            body: #"{"reason":"unpaid"}"#
        )
    }

    @Test("is recorded once, with who did it and why, and so is that it goes on") func recorded()
        async throws
    {
        let admin = try await AdminSide()
        let store = admin.side.store
        let before = store.commits.count
        let steps: [(verb: String, event: ProjectConfig.Event)] = [
            ("suspend", .suspended(reason: "unpaid")), ("resume", .resumed),
        ]
        for (number, step) in steps.enumerated() {
            for _ in 0..<2 {
                let answer = try await Self.post(admin, step.verb)
                #expect(answer.status == 200 && answer.body == #"{"result":{}}"#)
            }
            #expect(store.commits.count == before + number + 1)
            let commit = try #require(store.commits.last)
            #expect(commit.attributes.actor == .operator(name: "configure"))
            #expect(commit.attributes.reason == "unpaid")
            #expect(commit.streams.flatMap(\.events) == [.projectConfig(step.event)])
        }
    }

    @Test("stands in the history beside the documents") func history() async throws {
        let admin = try await AdminSide()
        for verb in ["suspend", "resume"] { _ = try await Self.post(admin, verb) }
        let answer = try await admin.send(.get, "/admin/v1/project/history", as: .read)
        let versions = try #require(answer.result?["versions"]?.array, "\(answer.body)")
        let changes = versions.map { $0["change"]?.string ?? "" }
        #expect(changes == ["resumed", "suspended", "applied"])
        #expect(versions.allSatisfy { ($0["digest"] != nil) == ($0["change"] == "applied") })
        let suspended = try #require(versions.dropFirst().first)
        #expect(suspended["operator"] == "configure" && suspended["reason"] == "unpaid")
    }

    @Test("outlasts another document") func applied() async throws {
        let admin = try await AdminSide()
        _ = try await Self.post(admin, "suspend")
        let tag = try #require(try await admin.send(.get, "/admin/v1/project").field("ETag").first)
        let applied = try await admin.send(
            .put,
            "/admin/v1/project?reason=new",
            headers: ["content-type": "application/yaml", "if-match": tag],
            body: "bank auth.example.com"
        )
        #expect(applied.status == 200, "\(applied.body)")
        #expect(applied.result?["suspended"] == true, "\(applied.body)")
        let config = try await admin.side.store.loadCurrent(
            ProjectConfig.self,
            admin.side.project.configuration.stream,
            by: Fixture.noDeadline
        )
        guard case .suspended(let document) = config.state else {
            Issue.record("not suspended")
            return
        }
        #expect(document.document == Array("bank auth.example.com".utf8))
    }

    @Test("keeps no operator from ending what a user has") func ends() async throws {
        let admin = try await AdminSide()
        let side = admin.side
        let tokens = try await side.redeem(side.code())
        try await side.suspend()
        let answer = try await admin.send(
            .post,
            "/admin/v1/subjects/\(side.subject)/disable",
            as: .operate,
            body: #"{"reason":"stolen phone"}"#
        )
        #expect(answer.status == 200, "\(answer.body)")
        try await side.resume()
        #expect(try await !side.isActive(tokens.accessToken?.text))
    }

    @Test("is refused for a project that there is not, and changes nothing") func unknown()
        async throws
    {
        let admin = try await AdminSide()
        let before = admin.side.store.commits.count
        for verb in ["suspend", "resume"] {
            let answer = try await Self.post(admin, verb, "?project=nope")
            #expect(answer.status == 404 && answer.reason == "NotFound", "\(answer.body)")
        }
        #expect(admin.side.store.commits.count == before)
    }
}
