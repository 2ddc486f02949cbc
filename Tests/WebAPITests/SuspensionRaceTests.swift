import Domain
import HTTPServer
import InMemory
import Issuing
import TestSupport
import Testing
import WebAPI

/// An operator suspends a project, or lets it go on, while others change it, or after they did at
/// other nodes (decision 0201).
@Suite("Suspending a project that others change") struct SuspensionRaceTests {
    private static let document = "bank auth.example.com"

    private static func post(_ admin: AdminSide, _ verb: String, because reason: String = "unpaid")
        async throws -> Answer
    {
        try await admin.send(
            .post,
            "/admin/v1/project/\(verb)",
            body: #"{"reason":"\#(reason)"}"#
        )
    }

    /// What an operator has who looks now.
    private static func tag(_ admin: AdminSide) async throws -> String {
        try #require(try await admin.send(.get, "/admin/v1/project").field("ETag").first)
    }

    private static func apply(_ admin: AdminSide, _ tag: String, _ document: String = document)
        async throws -> Answer
    {
        try await admin.send(
            .put,
            "/admin/v1/project?reason=new",
            headers: ["content-type": "application/yaml", "if-match": tag],
            body: document
        )
    }

    /// What has happened to the project since its first document.
    private static func changes(_ side: TokenSide) -> [String] {
        side.store.events(of: side.project.configuration.stream).dropFirst().map { event in
            switch event {
            case .projectConfig(.applied(let applied, _, _, _)):
                String(decoding: applied.document, as: UTF8.self)
            case .projectConfig(.suspended(let reason)): "suspended: \(reason)"
            case .projectConfig(.resumed): "resumed"
            default: "something else"
            }
        }
    }

    private static func isSuspended(_ side: TokenSide) async throws -> Bool {
        let config = try await side.store.loadCurrent(
            ProjectConfig.self,
            side.project.configuration.stream,
            by: Fixture.noDeadline
        )
        if case .suspended = config.state { return true }
        return false
    }

    @Test("outlasts a document that was on its way already") func lateDocument() async throws {
        let admin = try await AdminSide()
        let tag = try await Self.tag(admin)
        admin.side.store.beforeNextAppend { _ = try? await Self.post(admin, "suspend") }
        let answer = try await Self.apply(admin, tag)
        #expect(answer.status == 200, "\(answer.body)")
        #expect(Self.changes(admin.side) == ["suspended: unpaid", Self.document])
        #expect(try await Self.isSuspended(admin.side))
    }

    @Test("happens though a document came first, whose operator need not look again")
    func earlyDocument() async throws {
        let admin = try await AdminSide()
        let tag = try await Self.tag(admin)
        admin.side.store.beforeNextAppend { _ = try? await Self.apply(admin, tag) }
        let answer = try await Self.post(admin, "suspend")
        #expect(answer.status == 200, "\(answer.body)")
        #expect(Self.changes(admin.side) == [Self.document, "suspended: unpaid"])
        #expect(try await Self.isSuspended(admin.side))
    }

    @Test("does not help a document that somebody has replaced meanwhile") func lostDocument()
        async throws
    {
        let admin = try await AdminSide()
        let tag = try await Self.tag(admin)
        let other = "bank other.example.com"
        #expect(try await Self.post(admin, "suspend").status == 200)
        admin.side.store.beforeNextAppend { _ = try? await Self.apply(admin, tag, other) }
        let answer = try await Self.apply(admin, tag)
        #expect(answer.status == 409 && answer.reason == "Conflict", "\(answer.body)")
        #expect(answer.body.contains("somebody changed it since you looked"))
        #expect(Self.changes(admin.side) == ["suspended: unpaid", other])
        #expect(try await Self.isSuspended(admin.side))
    }

    @Test("is not lifted by the document in force, applied again") func sameDocument()
        async throws
    {
        let admin = try await AdminSide()
        #expect(try await Self.apply(admin, Self.tag(admin)).status == 200)
        #expect(try await Self.post(admin, "suspend").status == 200)
        #expect(try await Self.apply(admin, Self.tag(admin)).status == 200)
        #expect(Self.changes(admin.side) == [Self.document, "suspended: unpaid"])
    }

    @Test("keeps the reason it was given first, until it is suspended anew") func otherReason()
        async throws
    {
        let admin = try await AdminSide()
        let steps = [
            ("suspend", "unpaid"), ("suspend", "attack"), ("resume", "paid"), ("suspend", "attack"),
        ]
        for (verb, reason) in steps {
            let answer = try await Self.post(admin, verb, because: reason)
            #expect(answer.status == 200, "\(answer.body)")
        }
        #expect(Self.changes(admin.side) == ["suspended: unpaid", "resumed", "suspended: attack"])
    }

    @Test("two operators at once suspend it once, and let it go on once")
    func together() async throws {
        let admin = try await AdminSide()
        let store = admin.side.store
        store.beforeNextAppend { _ = try? await Self.post(admin, "suspend", because: "attack") }
        #expect(try await Self.post(admin, "suspend").status == 200)
        #expect(Self.changes(admin.side) == ["suspended: attack"])
        store.beforeNextAppend { _ = try? await Self.post(admin, "resume") }
        #expect(try await Self.post(admin, "resume").status == 200)
        #expect(Self.changes(admin.side) == ["suspended: attack", "resumed"])
    }

    /// What operators do at a node that remembers the project as it is now.
    private static func node(_ side: TokenSide) async throws -> ProjectAdministration {
        let stream = side.project.configuration.stream
        let store = try await StaleStore<ProjectConfig>(side.store, remembering: stream)
        let commands = side.commands(over: store)
        return ProjectAdministration(
            commands: commands,
            documents: LineDocuments(),
            digester: side.digester,
            keys: KeyAdministration(commands: commands, vault: StandInVault()),
            origins: InMemoryProjectOrigins(side.store)
        )
    }

    private static func order(in project: Project, because reason: String) -> Order {
        Order(
            in: project,
            by: Operator(name: "eve", role: .configure),
            reason: reason,
            deadline: Fixture.noDeadline
        )
    }

    @Test("ends, once, where nobody has heard that it was suspended") func unheardSuspension()
        async throws
    {
        let side = try await TokenSide()
        let node = try await Self.node(side)
        try await side.suspend()
        for _ in 0..<2 {
            try await node.resume(by: Self.order(in: side.project, because: "paid"))
        }
        #expect(Self.changes(side) == ["suspended: unpaid", "resumed"])
    }

    @Test("begins, once, where nobody has heard that it had gone on") func unheardResumption()
        async throws
    {
        let side = try await TokenSide()
        try await side.suspend()
        let node = try await Self.node(side)
        try await side.resume()
        for _ in 0..<2 {
            try await node.suspend(by: Self.order(in: side.project, because: "again"))
        }
        #expect(Self.changes(side) == ["suspended: unpaid", "resumed", "suspended: again"])
    }
}
