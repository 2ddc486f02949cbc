import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

@Suite("What operators read") struct AdminReadingTests {
    @Test("the history says who applied what, when and why, newest first") func history()
        async throws
    {
        let admin = try await AdminSide()
        let tag = try #require(try await admin.send(.get, "/admin/v1/project").field("ETag").first)
        _ = try await admin.send(
            .put,
            "/admin/v1/project?reason=new%20host",
            headers: ["content-type": "application/yaml", "if-match": tag],
            body: "bank auth.example.com"
        )
        let answer = try await admin.send(.get, "/admin/v1/project/history", as: .read)
        #expect(answer.status == 200, "\(answer.body)")
        guard case .array(let versions) = answer.result?["versions"] else {
            Issue.record("no versions")
            return
        }
        let newest = try #require(versions.first)
        #expect(newest["version"]?.integer == Int64(versions.count))
        #expect(newest["operator"] == "configure")
        #expect(newest["reason"] == "new host")
        #expect(newest["at"]?.string?.hasSuffix("Z") == true)
        let now = try await admin.send(.get, "/admin/v1/project").field("ETag").first
        #expect(newest["digest"]?.string == now?.filter { $0 != "\"" })
    }

    @Test("a long history begins with its newest version, and goes on to its first")
    func longHistory() async throws {
        let admin = try await AdminSide()
        let side = admin.side
        let stream = side.project.configuration.stream
        let applied = ProjectConfig.Applied(
            id: side.project.settings.id,
            digest: side.project.digest,
            document: []
        )
        for count in 0..<Int32(160) {
            let append = StreamAppend(
                stream: stream,
                kind: .projectConfig,
                expected: 1 + 64 * count,
                previousHash: nil,
                occurredAt: side.clock.now,
                events: Array(repeating: .projectConfig(.applied(applied, changed: [])), count: 64),
                stateAfter: ProjectConfig.State.applied(applied)
            )
            try await side.store.append(
                Commit(
                    command: CommandID(StreamID(high: 2, low: UInt64(count))),
                    project: side.project.number,
                    attributes: EventAttributes(actor: .operator(name: "ann")),
                    streams: [append],
                    guards: []
                ),
                by: Fixture.noDeadline
            )
        }
        let answer = try await admin.send(.get, "/admin/v1/project/history", as: .read)
        let versions = try #require(answer.result?["versions"]?.array, "\(answer.body)")
        #expect(versions.count == ProjectHistory.versionsMax)
        let newest = try #require(versions.first)
        #expect(newest["version"]?.integer == Int64(10_241))
        #expect(answer.result?["next"]?.integer == Int64(10_042))
        for (before, shown, next) in [(10_042, 10_041, 9_842), (3, 2, nil), (1, nil, nil)]
            as [(Int64, Int64?, Int64?)]
        {
            let path = "/admin/v1/project/history?before=\(before)"
            let older = try await admin.send(.get, path, as: .read)
            let first = older.result?["versions"]?.array?.first
            #expect(first?["version"]?.integer == shown, "\(before): \(older.body.prefix(200))")
            #expect(older.result?["next"]?.integer == next, "\(before)")
            #expect(next != nil || older.result?["next"] == JSON.null, "\(before)")
        }
        for wrong in ["+5", "2147483648", "a", "-1", "1.0"] {
            let path = "/admin/v1/project/history?before=\(wrong)"
            #expect(try await admin.send(.get, path, as: .read).status == 400, "\(wrong)")
        }
    }

    @Test("the keys are listed with their standing") func keys() async throws {
        let admin = try await AdminSide()
        let staged = try await admin.send(
            .post,
            "/admin/v1/keys/stage",
            headers: ["content-type": "application/json"],
            body: #"{"reason":"rotation"}"#
        )
        let kid = try #require(staged.result?["kid"]?.string)
        let answer = try await admin.send(.get, "/admin/v1/keys", as: .read)
        guard case .array(let keys) = answer.result?["keys"] else {
            Issue.record("no keys: \(answer.body)")
            return
        }
        #expect(keys.last?["kid"]?.string == kid)
        #expect(keys.last?["status"] == "staged")
    }

    @Test("of each key they say who brought it where it is, when and why") func keyChanges()
        async throws
    {
        let admin = try await AdminSide()
        for (verb, kid, why) in [
            ("stage", "", "rotation"), ("promote", "key-1", "stolen"),
        ] {
            let named = kid.isEmpty ? "" : #","kid":"\#(kid)","emergency":true"#
            let answer = try await admin.send(
                .post,
                "/admin/v1/keys/\(verb)",
                body: #"{"reason":"\#(why)"\#(named)}"#
            )
            #expect(answer.status < 300, "\(answer.body)")
        }
        let answer = try await admin.send(.get, "/admin/v1/keys", as: .read)
        let keys = try #require(answer.result?["keys"]?.array)
        func changes(of kid: String) -> [[String?]]? {
            keys.first { $0["kid"]?.string == kid }?["changes"]?.array?.map { change in
                ["status", "operator", "reason"].map { change[$0]?.string }
            }
        }
        #expect(
            changes(of: "key-1") == [
                ["staged", "configure", "rotation"], ["current", "configure", "stolen"],
            ]
        )
        #expect(changes(of: "first-ES256")?.last == ["compromised", "configure", "stolen"])
        #expect(changes(of: "first-RS256")?.count == 2)
    }

    @Test("all projects are listed, and named to who does not say which one") func projects()
        async throws
    {
        let admin = try await AdminSide()
        let bank = admin.side.project
        var settings = bank.settings
        settings.id = try Fixture.some(ProjectID("shop"))
        admin.side.projects.replace(
            Project(
                number: try Fixture.some(ProjectNumber(2)),
                settings: settings,
                digest: bank.digest,
                configuration: bank.configuration,
                isSuspended: true,
                keys: bank.keys,
                keysStream: bank.keysStream,
                keysVersion: bank.keysVersion
            )
        )
        let listed = try await admin.send(.get, "/admin/v1/projects", as: .read)
        guard case .array(let projects) = listed.result?["projects"] else {
            Issue.record("\(listed.body)")
            return
        }
        #expect(projects.map { $0["id"]?.string } == [bank.settings.id.text, "shop"])
        #expect(projects.map { $0["suspended"] } == [false, true])
        #expect(projects.map { $0["served"] } == [true, true])
        let unnamed = try await admin.send(.get, "/admin/v1/keys", as: .read)
        #expect(unnamed.status == 400)
        #expect(unnamed.body.contains("/admin/v1/projects lists them"))
    }

    private static let paths = [
        "/admin/v1/keys", "/admin/v1/project/history", "/admin/v1/projects",
    ]

    @Test("each needs an operator", arguments: paths)
    func anonymous(_ path: String) async throws {
        let answer = try await AdminSide().send(.get, path, as: nil)
        #expect(answer.status == 401)
    }
}
