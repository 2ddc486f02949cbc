import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import Runtime
import TestSupport
import Testing
import WebAPI

@Suite("The project document") struct AdminProjectRouteTests {
    private let yaml: KeyValuePairs = ["content-type": "application/yaml"]

    @Test("is read with its tag and replaced only by who has seen it") func replace()
        async throws
    {
        let admin = try await AdminSide()
        let seen = try await admin.send(.get, "/admin/v1/project")
        #expect(seen.status == 200)
        #expect(seen.field("Content-Type") == ["application/yaml"])
        let tag = try #require(seen.field("ETag").first)
        let target = "/admin/v1/project?reason=new%20host"
        let applied = try await admin.send(
            .put,
            target,
            headers: ["content-type": "application/yaml", "if-match": tag],
            body: "bank auth.example.com"
        )
        #expect(applied.status == 200, "\(applied.body)")
        #expect(applied.result?["id"] == "bank")
        let commit = try #require(admin.side.store.commits.last)
        #expect(commit.attributes.reason == "new host")
        #expect(commit.attributes.actor == .operator(name: "configure"))
        let stale = try await admin.send(
            .put,
            target,
            headers: ["content-type": "application/yaml", "if-match": tag],
            body: "bank other.example.com"
        )
        #expect(stale.status == 409)
        #expect(stale.reason == "Conflict")
    }

    @Test("If-None-Match: * creates a project once") func create() async throws {
        let admin = try await AdminSide()
        let headers: KeyValuePairs = [
            "content-type": "application/yaml", "if-none-match": "*",
        ]
        let shop = try await admin.send(
            .put,
            "/admin/v1/project?reason=opening",
            headers: headers,
            body: "shop shop.example.com"
        )
        #expect(shop.status == 201, "\(shop.body)")
        // With its keys, at once: a node that looked in between would refuse its tokens.
        let commit = try #require(admin.side.store.commits.last)
        #expect(commit.streams.map(\.kind) == [.projectConfig, .signingKey])
        let bank = try await admin.send(
            .put,
            "/admin/v1/project?reason=opening",
            headers: headers,
            body: "bank auth.example.com"
        )
        #expect(bank.status == 409)
    }

    @Test("a check reports every finding and changes nothing") func check() async throws {
        let admin = try await AdminSide()
        let before = admin.side.store.commits.count
        let target = "/admin/v1/project?check=true"
        let good = try await admin.send(.put, target, headers: yaml, body: "bank auth.example.com")
        #expect(good.body == #"{"result":{}}"#)
        let bad = try await admin.send(.put, target, headers: yaml, body: "bad")
        #expect(bad.status == 400)
        #expect(bad.reason == "ValidationFailed")
        let causes = bad["error"]?["info"]?["causes"]?.array
        #expect(causes?.map { $0["location"]?.string } == ["id", "oauth.clients[1].name"])
        #expect(causes?.last?["details"]?["msg"] == "too long")
        #expect(admin.side.store.commits.count == before)
    }

    @Test(
        "a document without reason, precondition or type is refused",
        arguments: [
            ("?reason=x", ["content-type": "application/yaml"], "BadRequest"),
            ("", ["content-type": "application/yaml", "if-none-match": "*"], "ValidationFailed"),
            (
                "?reason=", ["content-type": "application/yaml", "if-none-match": "*"],
                "ValidationFailed"
            ),
            ("?reason=x", ["content-type": "text/plain", "if-none-match": "*"], "BadRequest"),
            (
                "?reason=x",
                ["content-type": "application/yaml", "if-none-match": "*", "if-match": "\"00\""],
                "BadRequest"
            ),
            ("?reason=x", ["content-type": "application/yaml", "if-match": "*"], "BadRequest"),
            ("?check=maybe", ["content-type": "application/yaml"], "BadRequest"),
            ("?reason=x&reason=x", ["content-type": "application/yaml"], "BadRequest"),
        ] as [(String, [String: String], String)]
    )
    func refuses(_ query: String, _ headers: [String: String], _ reason: String) async throws {
        let admin = try await AdminSide()
        let before = admin.side.store.commits.count
        var pairs: KeyValuePairs<String, String> = ["content-type": headers["content-type"] ?? ""]
        if let none = headers["if-none-match"], let match = headers["if-match"] {
            pairs = ["content-type": "application/yaml", "if-none-match": none, "if-match": match]
        } else if let none = headers["if-none-match"] {
            pairs = ["content-type": headers["content-type"] ?? "", "if-none-match": none]
        } else if let match = headers["if-match"] {
            pairs = ["content-type": headers["content-type"] ?? "", "if-match": match]
        }
        let answer = try await admin.send(
            .put,
            "/admin/v1/project\(query)",
            headers: pairs,
            body: "shop shop.example.com"
        )
        #expect(answer.status == 400)
        #expect(answer.reason == reason)
        #expect(admin.side.store.commits.count == before)
    }

    @Test("an unknown project is 404") func unknown() async throws {
        let admin = try await AdminSide()
        #expect(try await admin.send(.get, "/admin/v1/project?project=no").status == 404)
        #expect(try await admin.send(.get, "/admin/v1/project?project=bank").status == 200)
    }
}
