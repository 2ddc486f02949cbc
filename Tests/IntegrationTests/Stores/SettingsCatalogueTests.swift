import Configuration
import Domain
import Foundation
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

@Suite("Projects without the root secret", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct SettingsCatalogueTests {
    static let document = """
        id: shop
        name: Shop
        http: {public_origin: "https://auth.example.com", hosts: [auth.example.com]}
        oauth:
          clients:
            - client_id: app
              name: App
              x_application_type: native
              redirect_uris: ["com.example.app:/callback"]
        """

    @Test("have the keys of the log at once when one is asked for that is not known")
    func newKey() async throws {
        try await StoreHarness.with { database, nodes in
            let node = nodes[0]
            try await LogFiller(database: database).addProject(Array(Self.document.utf8))
            let (own, projects) = try await Self.catalogue(of: database)
            defer { own.stop() }
            let before = try #require(projects.all.first)
            #expect(before.keys.keys.isEmpty)
            let stream = StreamID(high: 0xC000_0000_0000_8000, low: 0x8000_0000_0000_0002)
            for version in 1...2 {
                try await Self.stage("kid-\(version)", on: stream, after: Int32(version - 1), node)
                let held = try #require(projects.all.first)
                let now = try await projects.withCurrentKeys(held, by: .soon)
                #expect(now.keys.keys.map(\.kid) == (1...version).map { "kid-\($0)" })
                #expect(projects.all.first?.keysVersion == Int32(version))
                // The same again changes nothing.
                let again = try await projects.withCurrentKeys(now, by: .soon)
                #expect(again.keysVersion == now.keysVersion)
            }
        }
    }

    @Test("are as their newest document says, suspended or not, whatever came before it")
    func newestDocument() async throws {
        try await StoreHarness.with { database, nodes in
            let filler = LogFiller(database: database)
            try await filler.addProject(Array(Self.document.utf8))
            let (own, projects) = try await Self.catalogue(of: database)
            defer { own.stop() }
            let renamed = Self.document.replacingOccurrences(of: "name: Shop", with: "name: Store")
            let steps: [(ProjectConfig.Event, name: String, isSuspended: Bool)] = [
                (.suspended(reason: "audit"), "Shop", true),
                (filler.applied(Array(renamed.utf8)), "Store", true), (.resumed, "Store", false),
                (filler.applied(Array(Self.document.utf8)), "Shop", false),
                (.suspended(reason: "audit"), "Shop", true),
            ]
            for (index, step) in steps.enumerated() {
                let version = Int32(index + 2)
                try await filler.configure(step.0, version: version)
                try await projects.refresh(by: .soon)
                let project = try #require(projects.all.first)
                #expect(projects.all.count == 1 && project.settings.name == step.name)
                #expect(project.isSuspended == step.isSuspended, "version \(version)")
                #expect(project.configuration.version == version)
            }
        }
    }

    @Test("are read once, and again only when something of theirs has changed or was lost")
    func changed() async throws {
        try await StoreHarness.with { database, _ in
            let filler = LogFiller(database: database)
            try await filler.addProject(Array(Self.document.utf8))
            try await Self.addBank(filler)
            let documents = CountedDocuments()
            let (own, projects) = try await Self.catalogue(of: database, documents)
            defer { own.stop() }
            let superuser = try await database.connect()
            defer { superuser.close() }
            let bank = try #require(projects.all.last)
            #expect(projects.all.map(\.settings.name) == ["Shop", "Bank"])
            for _ in 1...3 { try await projects.refresh(by: .soon) }
            #expect(documents.names == ["Shop", "Bank"])

            let renamed = Self.document.replacingOccurrences(of: "name: Shop", with: "name: Store")
            try await filler.configure(filler.applied(Array(renamed.utf8)), version: 2)
            for _ in 1...2 { try await projects.refresh(by: .soon) }
            #expect(documents.names == ["Shop", "Bank", "Store"])
            #expect(projects.all.first?.settings.name == "Store")

            // A failover lost it, and the log went another way.
            try await LostHistoryTests.lose(LogFiller.configuration, version: 2, on: superuser)
            let other = Self.document.replacingOccurrences(of: "name: Shop", with: "name: Stall")
            try await filler.configure(filler.applied(Array(other.utf8)), version: 2)
            try await projects.refresh(by: .soon)
            #expect(projects.all.first?.settings.name == "Stall")

            try await filler.configure(.suspended(reason: "audit"), version: 3)
            try await projects.refresh(by: .soon)
            #expect(projects.all.first?.isSuspended == true)
            try await LostHistoryTests.lose(LogFiller.configuration, version: 3, on: superuser)
            try await projects.refresh(by: .soon)
            #expect(projects.all.first?.isSuspended == false)
            #expect(projects.all.last === bank && documents.names.count { $0 == "Bank" } == 1)

            try await LostHistoryTests.lose(Self.bank, version: 1, on: superuser)
            try await projects.refresh(by: .soon)
            #expect(projects.all.map(\.settings.name) == ["Stall"])
            #expect(projects.number(of: Sample.project("bank")) == nil && projects.isComplete)
        }
    }

    private static let bank = StreamID(high: 0xC000_0000_0000_8000, low: 0x8000_0000_0000_0003)

    /// A second project.
    static func addBank(
        _ filler: LogFiller,
        id: String = "bank",
        host: String = "bank.example.com",
        document: String = document,
        number: Int16 = 2
    ) async throws {
        let text = document.replacingOccurrences(of: "id: shop", with: "id: \(id)")
            .replacingOccurrences(of: "name: Shop", with: "name: Bank")
            .replacingOccurrences(of: "auth.example.com", with: host)
        let applied = ProjectConfig.Applied(
            id: Sample.project(id),
            digest: Sample.digest(2),
            document: Array(text.utf8)
        )
        try await filler.configure(
            .applied(applied, changed: ["id"]),
            version: 1,
            of: stream(of: number),
            as: Sample.number(number)
        )
    }

    /// The configuration of `addBank`'s project.
    static func stream(of number: Int16) -> StreamID {
        StreamID(high: bank.high, low: bank.low + UInt64(number) - 2)
    }

    @Test(
        "are the elder where two have one host, and the later of two with one id",
        arguments: [
            "bank", "shop",
        ]
    )
    func oneHost(_ id: String) async throws {
        try await StoreHarness.with { database, _ in
            let filler = LogFiller(database: database)
            try await filler.addProject(Array(Self.document.utf8))
            try await Self.addBank(filler, id: id, host: "auth.example.com")
            let (own, projects) = try await Self.catalogue(of: database)
            defer { own.stop() }
            let number = Sample.number(id == "shop" ? 2 : 1)
            #expect(projects.project(host: "auth.example.com")?.number == number)
            #expect(projects.project(id: LogFiller.projectName)?.number == number)
            #expect(projects.number(of: LogFiller.projectName) == number)
            for project in projects.all {
                #expect(try await projects.newest(project, by: .soon) === project)
            }
        }
    }

    @Test("are forgotten, with their numbers, when a failover has lost them") func lost()
        async throws
    {
        try await StoreHarness.with { database, _ in
            try await LogFiller(database: database).addProject(Array("id: shop\n".utf8))
            let (own, projects) = try await Self.catalogue(of: database)
            defer { own.stop() }
            // Known, although its document cannot be read.
            #expect(projects.number(of: LogFiller.projectName) == LogFiller.project)
            #expect(projects.all.isEmpty && projects.problem == nil)
            let superuser = try await database.connect()
            defer { superuser.close() }
            try await LostHistoryTests.lose(LogFiller.configuration, version: 1, on: superuser)
            try await projects.refresh(by: .soon)
            #expect(projects.number(of: LogFiller.projectName) == nil)
        }
    }

    @Test("know since when a client is there that has just come, and look only when a head moved")
    func newClient() async throws {
        try await StoreHarness.with { database, nodes in
            let filler = LogFiller(database: database)
            try await filler.addProject(Array(Self.document.utf8))
            let ring = StreamID(high: 0xC000_0000_0000_8000, low: 0x8000_0000_0000_0002)
            try await Self.stage("kid-1", on: ring, after: 0, nodes[0])
            let (own, projects) = try await Self.catalogue(of: database)
            defer { own.stop() }
            let held = try #require(projects.all.first)
            #expect(held.clientsSince.isEmpty)
            #expect(try await projects.newest(held, by: .soon) === held)

            let (app, begin) = (Sample.client("app"), LogFiller.now)
            let event = filler.applied(Array(Self.document.utf8))
            guard case .applied(let applied, let changed, _, _) = event else {
                Issue.record("nothing was applied")
                return
            }
            let added = ProjectConfig.Difference([app], at: begin)
            try await filler.configure(
                .applied(applied, changed: changed, added: added),
                version: 2
            )
            let now = try await projects.newest(held, by: .soon)
            #expect(now.configuration.version == 2)
            let since = try #require(now.clientsSince[app])
            #expect(since >= begin)
            #expect(!now.honours(app, since: begin.adding(seconds: -1)))
            #expect(now.honours(app, since: begin.adding(seconds: 60)))

            // The document that has it is not the newest any more.
            try await filler.configure(event, version: 3)
            try await filler.configure(.suspended(reason: "audit"), version: 4)
            let later = try await projects.newest(held, by: .soon)
            #expect(later.configuration.version == 4 && later.isSuspended)
            #expect(later.clientsSince == now.clientsSince)
            #expect(try await projects.newest(held, by: .soon) === later)
        }
    }

    /// The catalogue of a projector, once it has read a project; its connection is to be stopped.
    static func catalogue(
        of database: TestDatabase,
        _ documents: any ProjectDocuments = ProjectDocument()
    ) async throws -> (Database, SettingsCatalogue) {
        let own = Database(
            database.settings(as: "projector"),
            loops: [database.loop],
            isReadOnly: true
        )
        own.start()
        let projects = SettingsCatalogue(
            own,
            documents: documents,
            log: .discarding
        )
        let limit = MonotonicInstant.soon
        while projects.problem != nil, MonotonicInstant.now() < limit {
            _ = try? await projects.refresh(by: .soon)
            try await database.loop.sleep(until: .after(projects.pause))
        }
        return (own, projects)
    }

    private static func stage(
        _ kid: String,
        on stream: StreamID,
        after version: Int32,
        _ node: StoreHarness
    ) async throws {
        let ring = try await node.store.loadCurrent(SigningKeyRing.self, stream, by: .soon)
        let event = SigningKeyRing.Event.staged(
            kid: kid,
            .es256,
            publicKey: Array(#"{"crv":"P-256","kty":"EC"}"#.utf8),
            at: .sample
        )
        let append = StreamAppend(
            stream: stream,
            kind: .signingKey,
            expected: version,
            previousHash: ring.hash,
            occurredAt: .sample,
            events: [SigningKeyRing.wrap(event)],
            stateAfter: SigningKeyRing.evolve(ring.state, by: event)
        )
        try await node.store.append(node.commit([append]), by: .soon)
    }
}

/// Notes the names of the projects whose documents were read, in their order.
private final class CountedDocuments: ProjectDocuments {
    private let own = ProjectDocument()
    private let read = Guarded<[String]>([])

    var names: [String] { read.current }

    func read(_ document: [UInt8]) throws(ProjectFindings) -> ProjectSettings {
        let settings = try own.readInForce(document)
        read.withLock { $0.append(settings.name) }
        return settings
    }

    func cautions(in document: [UInt8]) -> [String] { [] }
    func clients(in document: [UInt8]) -> [ClientID] { own.clients(in: document) }
    func hosts(in document: [UInt8]) -> [String] { own.hosts(in: document) }
    func changedPaths(from old: [UInt8]?, to new: [UInt8]) -> [String] { [] }
}
