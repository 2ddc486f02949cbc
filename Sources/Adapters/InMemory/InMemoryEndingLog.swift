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
        _ body: (RecordedEnding) async -> Bool
    ) async throws(StoreError) -> Int {
        var count = 0
        var isWhole = true
        for commit in store.commits.dropFirst(followed.current) {
            for append in commit.streams where append.events.contains(where: Self.leavesMore) {
                let ending = RecordedEnding(append.stream, append.kind, in: commit.project)
                let isFollowed = await body(ending)
                isWhole = isWhole && isFollowed
                if isWhole { count += 1 }
            }
            if isWhole { followed.withLock { $0 += 1 } }
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
