import Domain
import InMemory
import Issuing
import Runtime
import TestSupport

/// A log to which something happens, once, right after it has answered one question.
struct InterruptedStore: StandInStore {
    let log: InMemoryEventStore
    /// The stream whose current state is asked for; nil: whether states are current.
    private let stream: StreamID?
    private let event: @Sendable () async -> Void
    private let hasHappened = Guarded(false)

    init(
        _ log: InMemoryEventStore,
        afterLoading stream: StreamID,
        _ event: @escaping @Sendable () async -> Void
    ) {
        self.log = log
        self.stream = stream
        self.event = event
    }

    init(afterComparing log: InMemoryEventStore, _ event: @escaping @Sendable () async -> Void) {
        self.log = log
        stream = nil
        self.event = event
    }

    private func interrupt() async {
        if !hasHappened.replace(with: true) { await event() }
    }

    func loadCurrent<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID, by deadline: Deadline)
        async throws(StoreError) -> Loaded<A>
    {
        let loaded = try await log.loadCurrent(aggregate, stream, by: deadline)
        if stream == self.stream { await interrupt() }
        return loaded
    }

    func areCurrent(_ streams: [StreamGuard], by deadline: Deadline)
        async throws(StoreError) -> Bool
    {
        let areCurrent = try await log.areCurrent(streams, by: deadline)
        if stream == nil { await interrupt() }
        return areCurrent
    }
}
