import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import Runtime
import TestSupport
import Testing
import WebAPI

@Suite("One host, one project") struct SharedHostTests {
    private let host = "new.example.com"

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
        let target = "/admin/v1/project?reason=host"
        return try await admin.send(.put, target, headers: headers, body: body)
    }

    /// A node whose directory has not heard of what the log has.
    private func admin(with shop: Bool) async throws -> AdminSide {
        let admin = try await AdminSide()
        guard shop else { return admin }
        #expect(try await put("shop shop.example.com", admin).status == 201)
        admin.side.projects.replace(
            try Self.project("shop", "shop.example.com", 2, beside: admin.side)
        )
        return admin
    }

    /// `cookieDomain`: nil: that of the project beside it.
    static func project(
        _ id: String,
        _ host: String,
        _ number: Int16,
        cookieDomain: String? = nil,
        beside side: TokenSide
    ) throws -> Project {
        var settings = side.project.settings
        if let cookieDomain { settings.cookieDomain = cookieDomain }
        settings.id = try Fixture.some(ProjectID(id))
        settings.hosts = [host]
        settings.projectorOrigin = "https://\(host)"
        let number = try Fixture.some(ProjectNumber(number))
        let names = StreamNames(side.digester)
        return Project(
            number: number,
            settings: settings,
            digest: side.project.digest,
            configuration: StreamGuard(stream: names.projectConfig(number), version: 1),
            keys: SigningKeyRing.State(),
            keysStream: names.signingKeys(of: number),
            keysVersion: 0
        )
    }

    @Test("of a project that is made and one that is changed at once one gets the host")
    func createdMeanwhile() async throws {
        let admin = try await admin(with: false)
        let made = Guarded<Int?>(nil)
        admin.side.store.beforeNextAppend {
            made.replace(with: try? await put("shop \(host)", admin).status)
        }
        let changed = try await put("bank \(host)", over: "bank", admin)
        #expect(made.current == 201)
        #expect(changed.status == 409, "\(changed.body)")
        #expect(changed.causes == ["http.hosts: \(host) is project shop's"])
    }

    @Test("of two projects that are changed at once one gets the host", arguments: [true, false])
    func changedMeanwhile(_ bankIsFirst: Bool) async throws {
        let admin = try await admin(with: true)
        let (late, early) = bankIsFirst ? ("shop", "bank") : ("bank", "shop")
        let first = Guarded<Int?>(nil)
        // What this node has not heard of stands in the log alone.
        admin.side.store.beforeNextAppend {
            first.replace(with: try? await put("\(early) \(host)", over: early, admin).status)
        }
        let second = try await put("\(late) \(host)", over: late, admin)
        #expect(first.current == 200)
        #expect(second.status == 409, "\(second.body)")
        #expect(second.reason == "Conflict")
    }

    @Test("of two projects that are made at once one gets the host") func madeMeanwhile()
        async throws
    {
        let admin = try await admin(with: false)
        let first = Guarded<Int?>(nil)
        admin.side.store.beforeNextAppend {
            first.replace(with: try? await put("shop \(host)", admin).status)
        }
        #expect(try await put("house \(host)", admin).status == 409)
        #expect(first.current == 201)
    }

    @Test("a node that has not heard of a project gives away neither its host nor its id")
    func stale() async throws {
        let admin = try await admin(with: false)
        #expect(try await put("shop \(host)", admin).status == 201)
        for body in ["house \(host)", "shop other.example.com"] {
            let refused = try await put(body, admin)
            #expect(refused.status == 409, "\(body): \(refused.body)")
        }
        #expect(try await put("bank \(host)", over: "bank", admin).status == 409)
        #expect(try await put("bank own.example.com", over: "bank", admin).status == 200)
    }

    @Test("the host of a feed is one project's, as its other hosts are") func feed() async throws {
        let admin = try await admin(with: false)
        let shop = "shop shop.example.com feed:feed.example.com"
        #expect(try await put(shop, admin).status == 201)
        for body in ["house feed.example.com", "house \(host) feed:feed.example.com"] {
            let refused = try await put(body, admin)
            #expect(refused.status == 409, "\(body): \(refused.body)")
            #expect(refused.causes == ["http.hosts: feed.example.com is project shop's"])
        }
        let own = "house \(host) feed:shop.example.com"
        #expect(try await put(own, admin).status == 409)
        #expect(try await put("house \(host) feed:\(host)", admin).status == 201)
    }

    @Test("a host that a document of before shares keeps nobody from another change")
    func sharedBefore() async throws {
        let admin = try await AdminSide()
        let own = try #require(admin.side.project.settings.hosts.first)
        admin.side.projects.replace(try Self.project("old", own, 2, beside: admin.side))
        #expect(try await put("bank \(own)", over: "bank", admin).status == 200)
        #expect(try await put("house \(own)", admin).status == 409)
    }

    @Test("more projects than one command guards may still be made") func many() async throws {
        let admin = try await AdminSide(rates: [.admin: .init(perMinute: 1000)])
        for count in 0..<(Commit.guardsMax + 3) {
            let made = try await put("p\(count) p\(count).example.com", admin)
            #expect(made.status == 201, "\(made.body)")
        }
        #expect(try await put("house p0.example.com", admin).status == 409)
    }

    @Test("an id and a host stay taken while this program cannot read their project")
    func unreadable() async throws {
        let admin = try await admin(with: false)
        #expect(try await put("shop \(host)", admin).status == 201)
        let names = StreamNames(admin.side.digester)
        let number = try Fixture.some(ProjectNumber(2))
        try await Self.damage(names.projectConfig(number), of: number, admin.side)
        for body in ["house house.example.com", "shop other.example.com"] {
            let refused = try await put(body, admin)
            #expect(refused.status == 409, "\(refused.body)")
            #expect(refused.body.contains("cannot be read here"))
            #expect(refused.causes == ["http.hosts: those of project number 2 are not known"])
        }
    }

    /// An event that cannot follow.
    private static func damage(_ stream: StreamID, of number: ProjectNumber, _ side: TokenSide)
        async throws
    {
        let append = StreamAppend(
            stream: stream,
            kind: .projectConfig,
            expected: 1,
            previousHash: nil,
            occurredAt: side.clock.now,
            events: [.projectConfig(.resumed)],
            stateAfter: ProjectConfig.State.absent
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
