import Configuration
import Domain
import InMemory
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// What a process with `--insecure-dev` serves of a log (Security 10).
@Suite("Projects in insecure development", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct DevelopmentCatalogueTests {
    private static let names = StreamNames(StandInDigester())
    private static let documents = ProjectDocument(isInsecureDevelopment: true)

    private static func document(_ issuer: String) -> [UInt8] {
        Array("id: shop\nname: Shop\nhttp: {public_origin: \"\(issuer)\"}\n".utf8)
    }

    @Test("one of another machine that comes while an issuer runs is not served")
    func issuer() async throws {
        try await StoreHarness.with { database, nodes in
            let catalogue = ProjectCatalogue(
                store: nodes[0].store,
                documents: Self.documents,
                names: Self.names,
                log: .discarding
            )
            try await catalogue.refresh(by: .soon)
            #expect(catalogue.isRead && catalogue.refused.isEmpty)
            let filler = LogFiller(database: database)
            let stream = Self.names.projectConfig(LogFiller.project)
            try await filler.addProject(Self.document("https://shop.example"), to: stream)
            try await catalogue.refresh(by: .soon)
            #expect(catalogue.all.isEmpty)
            #expect(catalogue.project(host: "shop.example") == nil)
            let line = "project shop: http.public_origin: https://shop.example is no name of"
            #expect(catalogue.refused.first?.hasPrefix(line) == true, "\(catalogue.refused)")
            #expect(catalogue.problem?.hasPrefix(line) == true)
        }
    }

    @Test("one that moves to another machine is not served on by a projector")
    func projector() async throws {
        try await StoreHarness.with { database, _ in
            let reader = Database(
                database.settings(as: "projector"),
                loops: [database.loop],
                isReadOnly: true
            )
            reader.start()
            defer { reader.stop() }
            let filler = LogFiller(database: database)
            try await filler.addProject(Self.document("https://shop.test"))
            let projects = SettingsCatalogue(reader, documents: Self.documents, log: .discarding)
            let limit = MonotonicInstant.soon
            while projects.problem != nil, MonotonicInstant.now() < limit {
                _ = try? await projects.refresh(by: .soon)
                try await database.loop.sleep(until: .after(projects.pause))
            }
            #expect(projects.all.map(\.issuer) == ["https://shop.test"])
            let moved = filler.applied(Self.document("https://shop.example"))
            try await filler.configure(moved, version: 2)
            try await projects.refresh(by: .soon)
            #expect(projects.all.isEmpty && !projects.isComplete)
        }
    }
}
