package import Domain

/// What a store remembers of a stream: true at its version, whatever came after.
package struct RememberedState: Sendable {
    package let project: ProjectNumber
    package let version: Int32
    /// Which of the store's servers it was read from.
    package let server: Int
    /// Of the newest event folded in.
    package let hash: EventHash
    /// Of the newest event folded in.
    package let occurredAt: Instant
    /// The aggregate's `State`.
    package let state: any Sendable

    package init(
        project: ProjectNumber,
        version: Int32,
        server: Int = 0,
        hash: EventHash,
        occurredAt: Instant,
        state: any Sendable
    ) {
        self.project = project
        self.version = version
        self.server = server
        self.hash = hash
        self.occurredAt = occurredAt
        self.state = state
    }
}

extension EventStore {
    /// A store that remembers nothing.
    package func remembered(_ stream: StreamID) -> RememberedState? { nil }
}

extension Loaded {
    /// What `store` remembers of `stream`, if it is a state of `A`.
    ///
    /// Made here, where the aggregate is known when compiling: through `load`, which is generic
    /// behind an existential, the same took ten times the instructions.
    init?(_ stream: StreamID, rememberedBy store: any EventStore) {
        guard let known = store.remembered(stream), let state = known.state as? A.State else {
            return nil
        }
        self.init(
            stream: stream,
            project: known.project,
            version: known.version,
            server: known.server,
            hash: known.hash,
            occurredAt: known.occurredAt,
            state: state,
            isCurrent: false
        )
    }
}
