package import Domain
package import Issuing

/// Who changed a stream, from the commits of an `InMemoryEventStore`.
package struct InMemoryChangeLog: ChangeLog {
    private let store: InMemoryEventStore

    package init(_ store: InMemoryEventStore) { self.store = store }

    package func changes(
        of stream: StreamID,
        before end: Int32?,
        limit: Int,
        by deadline: Deadline
    ) async throws(StoreError) -> [OperatorChange] {
        var found: [OperatorChange] = []
        for commit in store.commits {
            for append in commit.streams where append.stream == stream {
                for (offset, event) in append.events.enumerated() {
                    found.append(
                        OperatorChange(
                            version: append.expected + Int32(offset) + 1,
                            at: append.occurredAt,
                            event: event,
                            operatorName: name(commit.attributes.actor),
                            reason: commit.attributes.reason
                        )
                    )
                }
            }
        }
        return Array(found.reversed().filter { $0.version < end ?? .max }.prefix(limit))
    }

    private func name(_ actor: EventAttributes.Actor) -> String? {
        if case .operator(let name) = actor { name } else { nil }
    }
}
