package import Domain
package import Issuing
internal import Runtime

/// The ends in an event log in memory, however young, for one node.
package final class InMemoryEndingLog: EndingLog {
    private let store: InMemoryEventStore
    /// Commits gone through.
    private let followed = Guarded(0)

    package init(_ store: InMemoryEventStore) { self.store = store }

    package func eachDue(
        by deadline: Deadline,
        _ body: (RecordedEnding) async throws(StoreError) -> Void
    ) async throws(StoreError) -> Int {
        var count = 0
        for commit in store.commits.dropFirst(followed.current) {
            for append in commit.streams where append.events.contains(where: Self.leavesMore) {
                try await body(RecordedEnding(append.stream, append.kind, in: commit.project))
                count += 1
            }
            followed.withLock { $0 += 1 }
        }
        return count
    }

    private static func leavesMore(_ event: DomainEvent) -> Bool {
        switch event {
        case .subject(.disabled), .subject(.erased), .browserSession(.ended),
            .offlineGrant(.revoked):
            true
        default: false
        }
    }
}
