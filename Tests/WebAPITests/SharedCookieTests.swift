import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import Runtime
import TestSupport
import Testing
import WebAPI

/// What web clients of a project get their access tokens by is no other project's (decision 0243).
@Suite("One cookie, one project") struct SharedCookieTests {
    /// `If-None-Match: *`, or the tag of the document in force.
    private func put(_ body: String, over project: String? = nil, _ admin: AdminSide)
        async throws -> Answer
    {
        var headers = [(name: "content-type", value: "application/yaml")]
        if let project {
            let seen = try await admin.send(.get, "/admin/v1/project?project=\(project)")
            headers.append(("if-match", try #require(seen.field("ETag").first)))
        } else {
            headers.append(("if-none-match", "*"))
        }
        let target = "/admin/v1/project?reason=cookie"
        return try await admin.send(.put, target, headers: headers, body: body)
    }

    /// A project that only the log has, and this node has not heard of.
    private func admin(with shop: String) async throws -> AdminSide {
        let admin = try await AdminSide()
        #expect(try await put(shop, admin).status == 201)
        return admin
    }

    private static let shop = "shop login.shop.example cookie:shop.example"

    /// Where another project wants its cookie, and whether servers would get both by one name.
    static let rows = [
        ("cookie:shop.example", true), ("cookie:eu.shop.example", true), ("cookie:example", true),
        ("cookie:shop.example prefix:b_", false), ("cookie:bookshop.example", false),
        ("cookie:shop.example.org", false), ("prefix:b_", false), ("", false),
    ]

    @Test("of two that servers would get by one name the second is refused", arguments: rows)
    func second(_ cookie: String, _ isTaken: Bool) async throws {
        let admin = try await admin(with: Self.shop)
        let house = "house house.example.net"
        let made = try await put("\(house) \(cookie)", admin)
        #expect(made.status == (isTaken ? 409 : 201), "\(made.body)")
        guard isTaken else { return }
        let cause = "app_access_token at shop.example is project shop's: set another prefix"
        #expect(made.causes == ["http.cookie_prefix: \(cause)"])
        // Nor does a project take it that is there already.
        let changed = try await put("bank auth.example.com \(cookie)", over: "bank", admin)
        #expect(changed.status == 409, "\(changed.body)")
    }

    @Test("a check names the project whose it is") func checked() async throws {
        let admin = try await AdminSide()
        let answer = try await admin.send(
            .put,
            "/admin/v1/project?check=true",
            headers: [(name: "content-type", value: "application/yaml")],
            body: "shop shop.example.com cookie:example.com"
        )
        #expect(answer.status == 409, "\(answer.body)")
        let cause = "app_access_token at example.com is project bank's: set another prefix"
        #expect(answer.causes == ["http.cookie_prefix: \(cause)"])
    }

    @Test("of two that want it at once one gets it") func atOnce() async throws {
        let admin = try await admin(with: Self.shop)
        let made = Guarded<Int?>(nil)
        let cookie = "cookie:house.example"
        admin.side.store.beforeNextAppend {
            made.replace(with: try? await put("house login.house.example \(cookie)", admin).status)
        }
        let changed = try await put("bank auth.example.com \(cookie)", over: "bank", admin)
        #expect(made.current == 201)
        #expect(changed.status == 409, "\(changed.body)")
    }

    @Test("what a document of before shares keeps nobody from another change") func sharedBefore()
        async throws
    {
        let admin = try await admin(with: Self.shop)
        let host = "login.house.shop.example"
        #expect(try await put("house \(host)", admin).status == 201)
        let document = "house \(host) cookie:shop.example"
        try await Self.putInForce(document, admin.side)
        for (id, host, number) in [("shop", "login.shop.example", 2), ("house", host, 3)] {
            admin.side.projects.replace(
                try SharedHostTests.project(
                    id,
                    host,
                    Int16(number),
                    cookieDomain: "shop.example",
                    beside: admin.side
                )
            )
        }
        #expect(try await put("\(document) again", over: "house", admin).status == 200)
        #expect(try await put("\(Self.shop) feed:a.example", over: "shop", admin).status == 200)
        #expect(try await put("\(document) prefix:b_", over: "house", admin).status == 200)
        // It has given that one up.
        #expect(try await put(document, over: "house", admin).status == 409)
    }

    /// As of a program that knew no such rule: the second document of the third project.
    private static func putInForce(_ document: String, _ side: TokenSide) async throws {
        let number = try Fixture.some(ProjectNumber(3))
        let applied = ProjectConfig.Applied(
            id: try Fixture.some(ProjectID("house")),
            digest: side.digester.sha256(Array(document.utf8)),
            document: Array(document.utf8)
        )
        let append = StreamAppend(
            stream: StreamNames(side.digester).projectConfig(number),
            kind: .projectConfig,
            expected: 1,
            previousHash: nil,
            occurredAt: side.clock.now,
            events: [.projectConfig(.applied(applied, changed: ["http"]))],
            stateAfter: ProjectConfig.State.applied(applied)
        )
        try await side.store.append(
            Commit(
                command: CommandID(StreamID(high: 1, low: 9)),
                project: number,
                attributes: EventAttributes(actor: .system),
                streams: [append],
                guards: []
            ),
            by: Fixture.noDeadline
        )
    }
}
