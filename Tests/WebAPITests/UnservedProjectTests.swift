import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

@Suite("A project that cannot be served") struct UnservedProjectTests {
    @Test("its document is shown, checked and replaced, and nothing else of it") func repair()
        async throws
    {
        let admin = try await AdminSide()
        admin.side.projects.stopServing(admin.side.project.settings.id)
        let target = "/admin/v1/project?project=bank"
        let seen = try await admin.send(.get, target)
        #expect(seen.status == 200)
        let headers: KeyValuePairs = [
            "content-type": "application/yaml",
            "if-match": try #require(seen.field("ETag").first),
        ]
        for query in ["&check=true", "&reason=repair"] {
            let body = "bank auth.example.com"
            let answer = try await admin.send(.put, target + query, headers: headers, body: body)
            #expect(answer.status == 200, "\(answer.body)")
        }
        #expect(admin.side.store.commits.last?.project == admin.side.project.number)
        #expect(try await admin.send(.get, "/admin/v1/keys?project=bank").status == 409)
        #expect(try await admin.send(.get, "/admin/v1/keys").status == 404)
    }

    @Test("one that is being read is no such: who asks for it asks again") func begun() async throws
    {
        let admin = try await AdminSide()
        admin.side.projects.beginReading(admin.side.project.settings.id)
        let answer = try await admin.send(.get, "/admin/v1/keys?project=bank")
        #expect(answer.status == 503, "\(answer.body)")
    }

    @Test("what it signs with is asked of its ring") func keys() async throws {
        let admin = try await AdminSide()
        admin.side.projects.stopServing(admin.side.project.settings.id)
        let answer = try await admin.send(
            .put,
            "/admin/v1/project?check=true",
            headers: ["content-type": "application/yaml"],
            body: "bank auth.example.com EdDSA"
        )
        #expect(answer.reason == "ValidationFailed", "\(answer.body)")
    }

    @Test("where another one is served, operators say which of them they mean") func named()
        async throws
    {
        let admin = try await AdminSide()
        let shop = try SharedHostTests.project("shop", "shop.example.com", 2, beside: admin.side)
        admin.side.projects.replace(shop)
        admin.side.projects.stopServing(shop.settings.id)
        let unnamed = try await admin.send(.get, "/admin/v1/keys")
        #expect(unnamed.status == 400)
        #expect(unnamed.body.contains("/admin/v1/projects lists them"))
        let listed = try await admin.send(.get, "/admin/v1/projects")
        let projects = try #require(listed.result?["projects"]?.array, "\(listed.body)")
        #expect(projects.map { $0["id"]?.string } == ["bank", "shop"])
        #expect(projects.map { $0["served"] } == [true, false])
        #expect(try await admin.send(.get, "/admin/v1/keys?project=bank").status == 200)
    }

    @Test("a document is applied to the project that the operator names, or to none")
    func otherProject() async throws {
        let admin = try await AdminSide()
        let before = admin.side.store.commits.count
        for query in ["check=true", "reason=x"] {
            let answer = try await admin.send(
                .put,
                "/admin/v1/project?project=bank&\(query)",
                headers: ["content-type": "application/yaml", "if-none-match": "*"],
                body: "shop shop.example.com"
            )
            #expect(answer.status == 400, "\(answer.body)")
            #expect(answer.reason == "ValidationFailed")
        }
        #expect(admin.side.store.commits.count == before)
    }

    @Test("a host is 503 while a project is not served, whose it may be") func unservedProject()
        async throws
    {
        let web = try await WebSide()
        let shop = try SharedHostTests.project("shop", "shop.example.com", 2, beside: web.side)
        web.side.projects.replace(shop)
        web.side.projects.stopServing(shop.settings.id)
        let answer = try await web.send(.get, "/oauth2/jwks", host: "shop.example.com")
        #expect(answer.status == 503)
        #expect(answer.field("Retry-After") == ["1"])
        #expect(try await web.send(.get, "/oauth2/jwks").status == 200)
    }
}
