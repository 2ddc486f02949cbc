import Domain
import InMemory
import Issuing
import OAuth
import Persistence
import Runtime
import TestSupport
import Testing

@Suite("The catalogue of projects", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct ProjectCatalogueTests {
    /// A document is the project's name.
    private struct Documents: ProjectDocuments {
        func read(_ document: [UInt8]) throws(ProjectFindings) -> ProjectSettings {
            let name = String(decoding: document, as: UTF8.self)
            return ProjectSettings(
                id: Sample.project(name),
                name: name,
                publicOrigin: "https://\(name).example.com",
                hosts: ["\(name).example.com"],
                clients: []
            )
        }

        func cautions(in document: [UInt8]) -> [String] { [] }
        func clients(in document: [UInt8]) -> [ClientID] { [] }
        func changedPaths(from old: [UInt8]?, to new: [UInt8]) -> [String] { [] }
    }

    private static let names = StreamNames(StandInDigester())

    /// Applies the first document of a project.
    private static func apply(_ name: String, as number: ProjectNumber, _ node: StoreHarness)
        async throws
    {
        let applied = ProjectConfig.Applied(
            id: Sample.project(name),
            digest: Sample.digest(UInt8(truncatingIfNeeded: number.value)),
            document: Array(name.utf8)
        )
        let events = try ProjectConfig.decide(
            .apply(applied, expected: nil, changed: []),
            in: ProjectConfig.initial
        )
        let after = try #require(ProjectConfig.fold(events, from: ProjectConfig.initial))
        var commit = node.commit([
            StreamAppend(
                stream: names.projectConfig(number),
                kind: .projectConfig,
                expected: 0,
                previousHash: nil,
                occurredAt: .sample,
                events: events.map(ProjectConfig.wrap),
                stateAfter: after
            )
        ])
        commit.project = number
        try await node.patiently { [commit] in try await node.store.append(commit, by: .soon) }
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
            let catalogue = ProjectCatalogue(
                store: node.store,
                documents: Documents(),
                names: Self.names,
                log: .discarding
            )
            try await catalogue.refresh(by: .soon)
            #expect(catalogue.all.map(\.settings.name) == ["one", "three"])
        }
    }
}
