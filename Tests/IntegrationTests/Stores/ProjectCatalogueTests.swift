import Domain
import InMemory
import Issuing
import OAuth
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

@Suite("The catalogue of projects", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct ProjectCatalogueTests {
    private static let names = StreamNames(StandInDigester())

    /// Applies a document of a project, the first one or the next.
    private static func apply(_ text: String, as number: ProjectNumber, _ node: StoreHarness)
        async throws
    {
        let stream = names.projectConfig(number)
        let now = try await node.store.loadCurrent(ProjectConfig.self, stream, by: .soon)
        let applied = ProjectConfig.Applied(
            id: Sample.project(String(text.prefix { $0 != "/" })),
            digest: StandInDigester().sha256(Array(text.utf8)),
            document: Array(text.utf8)
        )
        let expected: TokenDigest? =
            if case .applied(let known) = now.state { known.digest } else { nil }
        let events = try ProjectConfig.decide(
            .apply(applied, expected: expected, changed: []),
            in: now.state
        )
        let after = try #require(ProjectConfig.fold(events, from: now.state))
        var commit = node.commit([
            StreamAppend(
                stream: stream,
                kind: .projectConfig,
                expected: now.version,
                previousHash: now.hash,
                occurredAt: .sample,
                events: events.map(ProjectConfig.wrap),
                stateAfter: after
            )
        ])
        commit.project = number
        try await node.patiently { [commit] in try await node.store.append(commit, by: .soon) }
    }

    private static func catalogue(of node: StoreHarness) -> ProjectCatalogue {
        ProjectCatalogue(
            store: node.store,
            documents: NamedDocuments(),
            names: names,
            log: .discarding
        )
    }

    @Test("one that cannot be read keeps no other from being served") func unreadable()
        async throws
    {
        try await StoreHarness.with { _, nodes in
            let node = nodes[0]
            for (index, name) in ["one", "two", "three"].enumerated() {
                try await Self.apply(name, as: Sample.number(Int16(index + 1)), node)
            }
            let second = Self.names.projectConfig(Sample.number(2))
            let sound = try await node.store.load(ProjectConfig.self, second, by: .soon)
            var damage = node.commit([try node.given(on: sound.guardian, after: sound.hash)])
            damage.project = Sample.number(2)
            try await node.store.append(damage, by: .soon)
            node.store.forget(second)
            let catalogue = Self.catalogue(of: node)
            try await catalogue.refresh(by: .soon)
            #expect(catalogue.all.map(\.settings.name) == ["one", "three"])
        }
    }

    @Test("what another server lacks, or has otherwise, is not served on") func lost()
        async throws
    {
        try await StoreHarness.with { database, nodes in
            let node = nodes[0]
            let number = Sample.number(1)
            let superuser = try await database.connect()
            defer { superuser.close() }
            let catalogue = Self.catalogue(of: node)
            try await Self.apply("one", as: number, node)
            try await Self.apply("one/lost", as: number, node)
            try await catalogue.refresh(by: .soon)
            #expect(catalogue.all.map(\.settings.name) == ["one/lost"])
            let stream = Self.names.projectConfig(number)
            try await LostHistoryTests.lose(stream, version: 2, on: superuser)
            node.store.forget(stream)
            catalogue.beginServer()
            try await catalogue.refresh(by: .soon)
            #expect(catalogue.all.map(\.settings.name) == ["one"])
            #expect(catalogue.all.first?.configuration.version == 1)
            // Another way to the same version.
            try await Self.apply("one/again", as: number, node)
            try await LostHistoryTests.lose(stream, version: 2, on: superuser)
            try await catalogue.refresh(by: .soon)
            node.store.forget(stream)
            catalogue.beginServer()
            try await Self.apply("one/other", as: number, node)
            try await catalogue.refresh(by: .soon)
            #expect(catalogue.all.map(\.settings.name) == ["one/other"])
        }
    }
}
