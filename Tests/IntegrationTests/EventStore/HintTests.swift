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

    @Test("a hint that comes while its stream is read is not lost with what was read")
    func meanwhile() throws {
        let node = try SlowNode(answering: .milliseconds(100))
        let limit = node.deadline(600_000)
        let stream = try node.append(1)
        node.step(to: 10)
        node.hint(stream)
        node.load(stream, by: limit)
        node.step(to: 20)
        node.hint(stream)
        node.step(to: 200)
        #expect(node.calls.reads == 1)
        for end in [400, 600] as [Int64] {
            node.load(stream, by: limit)
            node.step(to: end - 100)
            node.step(to: end)
            // It is answered by the second, which nobody has come behind.
            #expect(node.calls.reads == 2)
        }
        #expect(node.answered == [true, true, true, true])
    }
}
