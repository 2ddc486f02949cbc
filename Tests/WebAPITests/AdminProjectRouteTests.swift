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

    @Test("a creation that loses its append is decided again; nobody else made the project")
    func createAgain() async throws {
        let admin = try await AdminSide()
        admin.side.store.fail(.conflict)
        let shop = try await admin.send(
            .put,
            "/admin/v1/project?reason=opening",
            headers: ["content-type": "application/yaml", "if-none-match": "*"],
            body: "shop shop.example.com"
        )
        #expect(shop.status == 201, "\(shop.body)")
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

    private static let documents = [
        ("bank auth.example.com EdDSA", "oauth.signing_algorithm"),
        ("bank auth.example.com ES256 EdDSA", "oauth.clients[0].id_token_signed_response_alg"),
    ]

    @Test(
        "what nothing could sign is refused until there is a key, also by a check",
        arguments: documents
    )
    func unsigned(_ document: String, _ setting: String) async throws {
        let admin = try await AdminSide()
        let tag = try #require(try await admin.send(.get, "/admin/v1/project").field("ETag").first)
        let headers: KeyValuePairs = ["content-type": "application/yaml", "if-match": tag]
        let targets = ["/admin/v1/project?check=true", "/admin/v1/project?reason=faster"]
        let before = admin.side.store.commits.count
        for target in targets {
            let refused = try await admin.send(.put, target, headers: headers, body: document)
            #expect(refused.reason == "ValidationFailed", "\(target): \(refused.body)")
            let causes = try #require(refused["error"]?["info"]?["causes"]?.array)
            #expect(causes.map { $0["location"]?.string } == [setting])
            let sentence = causes.first?["details"]?["msg"]?.string
            #expect(sentence?.contains("chancery keys stage --alg EdDSA") == true)
        }
        #expect(admin.side.store.commits.count == before)
        for body in [
            #"{"algorithm":"EdDSA","reason":"first"}"#,
            #"{"kid":"key-1","emergency":true,"reason":"first"}"#,
        ] {
            let act = body.contains("kid") ? "promote" : "stage"
            let answer = try await admin.send(.post, "/admin/v1/keys/\(act)", body: body)
            #expect(answer.status == 200, "\(answer.body)")
        }
        for target in targets {
            let taken = try await admin.send(.put, target, headers: headers, body: document)
            #expect(taken.status == 200, "\(target): \(taken.body)")
        }
    }

    @Test("one that leaves no room for the names of who goes with it is refused, also by a check")
    func full() async throws {
        let admin = try await AdminSide()
        func put(_ document: String, _ more: String) async throws -> Answer {
            let seen = try await admin.send(.get, "/admin/v1/project")
            let tag = try #require(seen.field("ETag").first)
            let headers: KeyValuePairs = ["content-type": "application/yaml", "if-match": tag]
            let target = "/admin/v1/project?\(more)"
            return try await admin.send(.put, target, headers: headers, body: document)
        }
        let (roomy, full) = ("bank auth.example.com ES256 ES256", "bank full.example.com")
        #expect(try await put(roomy, "reason=one").status == 200)
        let before = admin.side.store.commits.count
        for more in ["check=true", "reason=fewer"] {
            // Its client goes, and takes along whom it let in.
            let refused = try await put(full, more)
            #expect(refused.reason == "ValidationFailed", "\(more): \(refused.body)")
            #expect(refused.causes == ["oauth.clients: no room for app"], "\(more)")
        }
        #expect(admin.side.store.commits.count == before)
        // Where nobody comes or goes there is no name.
        #expect(try await put("\(full) ES256 ES256", "reason=host").status == 200)
    }

    @Test("a key that is staged, was retired or is compromised signs nothing") func lost()
        async throws
    {
        let admin = try await AdminSide()
        let target = "/admin/v1/project?check=true"
        let compromised = try await admin.send(
            .post,
            "/admin/v1/keys/compromise",
            body: #"{"kid":"first-ES256","final":true,"reason":"stolen"}"#
        )
        #expect(compromised.status == 200)
        _ = try await admin.send(.post, "/admin/v1/keys/stage", body: #"{"reason":"stolen"}"#)
        let body = "bank auth.example.com"
        let refused = try await admin.send(.put, target, headers: yaml, body: body)
        #expect(refused.reason == "ValidationFailed")
        let other = try await admin.send(.put, target, headers: yaml, body: "\(body) RS256")
        #expect(other.status == 200, "\(other.body)")
    }

    @Test("only what is used needs a key: of the project, and of its enabled clients") func used()
        throws
    {
        let id = try Fixture.some(ClientID("app"))
        var client = ClientSettings(id: id, name: "App", applicationType: .native)
        client.idTokenAlgorithm = .edDSA
        var settings = ProjectSettings(
            id: try Fixture.some(ProjectID("bank")),
            name: "Bank",
            publicOrigin: "https://auth.example.com",
            hosts: ["auth.example.com"],
            clients: [client]
        )
        func missing(beside algorithms: Set<SigningKeyRing.Algorithm>) -> [String] {
            settings.missingKeys(beside: algorithms).map(\.setting)
        }
        #expect(missing(beside: [.es256]) == ["oauth.clients[0].id_token_signed_response_alg"])
        settings.clients[0].enabled = false
        #expect(missing(beside: [.es256]).isEmpty)
        settings.clients[0].enabled = true
        settings.signingAlgorithm = .edDSA
        #expect(missing(beside: [.es256]) == ["oauth.signing_algorithm"])
        #expect(missing(beside: [.edDSA]).isEmpty)
    }

    @Test("a client that comes back is said to have come, each time, and to have gone before")
    func returned() async throws {
        let admin = try await AdminSide()
        var said: [[ClientID]?] = []
        var gone: [[ClientID]?] = []
        for document in ["ES256 ES256", "ES256", "RS256", "ES256 ES256", "RS256 ES256"] {
            let tag = try #require(
                try await admin.send(.get, "/admin/v1/project").field("ETag").first
            )
            let answer = try await admin.send(
                .put,
                "/admin/v1/project?reason=clients",
                headers: ["content-type": "application/yaml", "if-match": tag],
                body: "bank auth.example.com \(document)"
            )
            #expect(answer.status == 200, "\(answer.body)")
            let event = admin.side.store.commits.last?.streams.first?.events.first
            guard case .projectConfig(.applied(_, _, let added, let cascaded)) = event else {
                Issue.record("\(document)")
                continue
            }
            said.append(added?.clients)
            gone.append(cascaded?.clients)
        }
        let app = try Fixture.some(ClientID("app"))
        #expect(said == [[app], nil, nil, [app], nil])
        #expect(gone == [nil, [app], nil, nil, nil])
    }

    @Test("a check names hosts that another project answers") func sharedHosts() async throws {
        let admin = try await AdminSide()
        let answer = try await admin.send(
            .put,
            "/admin/v1/project?check=true",
            headers: yaml,
            body: "shop auth.example.com"
        )
        #expect(answer.status == 409, "\(answer.body)")
        #expect(answer.causes == ["http.hosts: auth.example.com is project bank's"])
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
