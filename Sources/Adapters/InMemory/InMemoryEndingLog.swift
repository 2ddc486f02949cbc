package import Domain
package import Issuing
internal import Runtime

/// The ends in an event log in memory, however young, for one node.
package final class InMemoryEndingLog: EndingLog {
    private let store: InMemoryEventStore
    /// Ends that do not come again.
    private let followed = Guarded(0)

    package init(_ store: InMemoryEventStore) { self.store = store }

    package func nextDue(
        by deadline: Deadline,
        _ body: ([RecordedEnding]) async -> Int
    ) async throws(StoreError) -> Int {
        let ends = store.commits.flatMap { commit in
            commit.streams.filter { $0.events.contains(where: Self.leavesMore) }
                .map { append in
                    RecordedEnding(
                        append.stream,
                        append.kind,
                        in: commit.project,
                        isErasure: append.events.contains(.subject(.erased))
                    )
                }
        }
        let page = ends.dropFirst(followed.current).prefix(RecordedEnding.pageMax)
        guard !page.isEmpty else { return 0 }
        let count = await body(Array(page))
        followed.withLock { $0 += count }
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
