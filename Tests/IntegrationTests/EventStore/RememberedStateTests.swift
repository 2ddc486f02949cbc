import Domain
import Issuing
import Persistence
import Runtime
import TestSupport
import Testing

@Suite("What a node remembers of a stream", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct RememberedStateTests {
    @Test("a command that was turned away leaves it; one that lost to another does not")
    func turnedAway() async throws {
        try await StoreHarness.with(nodes: 2) { _, nodes in
            let node = nodes[0]
            let lost = try await node.register()
            var elsewhere = lost
            try await nodes[1].append([.disabled(.operator)], to: &elsewhere)
            await #expect(throws: StoreError.conflict) {
                try await node.store.append(node.commit([try node.toggled(lost)]), by: .soon)
            }
            #expect(node.store.remembered(lost.stream) == nil)
            let kept = try await node.register()
            node.store.stop()
            await #expect(throws: StoreError.unavailable) {
                try await node.store.append(node.commit([try node.toggled(kept)]), by: .soon)
            }
            #expect(node.store.remembered(kept.stream)?.version == 1)
        }
    }

    @Test("a stream of several pages is read whole, wherever others are in it at that moment")
    func pages() async throws {
        try await StoreHarness.with(nodes: 2) { _, nodes in
            var subject = try await nodes[0].register()
            let pair: [Subject.Event] = [.disabled(.operator), .enabled(at: .sample)]
            for _ in 0..<70 {
                let events = (0..<16).flatMap { _ in pair }
                try await nodes[0].append(events, to: &subject)
            }
            let (stream, version) = (subject.stream, subject.version)
            #expect(version == 2241)
            for _ in 0..<20 {
                nodes[1].store.forget(stream)
                let versions = try await withThrowingTaskGroup(of: Int32.self) { readers in
                    for number in 0..<24 {
                        readers.addTask {
                            try await Task.sleep(for: .microseconds(number * 500))
                            return try await nodes[1].store.load(Subject.self, stream, by: .soon)
                                .version
                        }
                    }
                    return try await readers.reduce(into: []) { $0.append($1) }
                }
                #expect(versions.allSatisfy { $0 == version }, "\(versions)")
            }
        }
    }
}
