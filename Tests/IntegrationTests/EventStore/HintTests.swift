import Crypto
import Domain
import EventFormat
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

@Suite("What Kafka hints at")
struct HintTests {
    @Test("a hint at what a node knows already is no news to it", arguments: [1, 2, 3] as [Int32])
    func hints(_ version: Int32) async throws {
        try await StoreHarness.with(nodes: 2) { _, nodes in
            var stream = try await nodes[0].register()
            let known = try await nodes[1].store.load(Subject.self, stream.stream, by: .soon)
            #expect(known.version == 1)
            try await nodes[0].append([.disabled(.operator)], to: &stream)
            nodes[1].store.hint(stream.stream, at: version)
            let loaded = try await nodes[1].store.load(Subject.self, stream.stream, by: .soon)
            #expect(loaded.version == (version > 1 ? 2 : 1))
            #expect(loaded.isCurrent == (version > 1))
        }
    }
}
