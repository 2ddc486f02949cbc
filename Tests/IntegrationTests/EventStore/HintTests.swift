import Crypto
import Domain
import EventFormat
import InMemory
import Issuing
import Postgres
import Runtime
import TestSupport
import Testing

@testable import Persistence

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

    /// What is hinted at while a stream is read from version 3 to 5; nil: that it has moved.
    static let meanwhiles: [(version: Int32?, isNews: Bool)] = [
        (7, true), (5, false), (nil, true),
    ]

    @Test("one of more than is read is not lost with it, and costs one read", arguments: meanwhiles)
    func advancing(_ row: (version: Int32?, isNews: Bool)) throws {
        let cache = StateCache(bytesMax: 1024 * 1024)
        let stream = StreamID.timeOrdered(at: .sample, from: SeededEntropy(seed: 1))
        cache.keep(try entry(3), of: stream)
        cache.markStale(stream, below: 4)
        let found = try #require(cache.find(stream))
        cache.markStale(stream, below: row.version ?? .max)
        cache.keep(try entry(5, marks: found.marks), of: stream)
        let kept = try #require(cache.find(stream))
        #expect(kept.version == 5)
        #expect(kept.isStale == row.isNews)
        // Read again, though no more is there: the hint may have been wrong.
        cache.keep(try entry(5, marks: kept.marks), of: stream)
        #expect(cache.find(stream)?.isStale == false)
    }

    private func entry(_ version: Int32, marks: UInt32 = 0) throws -> StateCache.Entry {
        StateCache.Entry(
            project: try #require(ProjectNumber(1)),
            version: version,
            server: 0,
            hash: EventHash(digest: Sample.digest(1)),
            occurredAt: .sample,
            state: Subject.State.absent,
            cost: 1024,
            marks: marks
        )
    }
}
