import Domain
import Issuing
import Persistence
import TestSupport
import Testing

@Suite("A long history", .timeLimit(.minutes(3)), .keepsClusterOnFailure) struct HistoryTests {
    @Test("is gone through page by page, and no further than one is told to")
    func pages() async throws {
        try await StoreHarness.with { _, nodes in
            let store = nodes[0].store
            var subject = try await nodes[0].register()
            let turns = (0..<10).flatMap { _ in
                [Subject.Event.disabled(.operator), .enabled(at: .sample)]
            }
            for _ in 0..<105 { try await nodes[0].append(turns, to: &subject) }
            var seen: [Int32] = []
            try await store.eachEvent(of: subject.stream, by: .soon) {
                seen.append($0.version)
                return true
            }
            #expect(seen == Array(1...2101))
            var count = 0
            try await store.eachEvent(of: subject.stream, by: .soon) { _ in
                count += 1
                return count < 1500
            }
            #expect(count == 1500)
        }
    }
}
