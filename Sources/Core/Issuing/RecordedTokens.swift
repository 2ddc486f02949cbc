package import Domain

/// Looks an old refresh token up in the log when the fold no longer keeps its digest.
package struct RecordedTokens: Sendable {
    private let store: any EventStore

    package init(store: any EventStore) { self.store = store }

    /// Whether the presented generation was issued with the presented digest.
    func contains(_ refresh: OfflineGrant.Refresh, in stream: StreamID, by deadline: Deadline)
        async throws(StoreError) -> Bool
    {
        try await contains(
            refresh.presented,
            family: refresh.family,
            generation: refresh.generation,
            in: stream,
            by: deadline
        )
    }

    /// As above, piece by piece.
    package func contains(
        _ digest: TokenDigest,
        family: UInt16,
        generation: UInt32,
        in stream: StreamID,
        by deadline: Deadline
    ) async throws(StoreError) -> Bool {
        var isFound = false
        // Each generation before took an event, and the opening one, too.
        try await store.eachEvent(of: stream, after: Int32(clamping: generation), by: deadline) {
            (event: RecordedEvent) async throws(StoreError) in
            guard let secret = Self.secret(event.body, family, generation) else { return true }
            isFound = secret == digest
            // A generation has one secret: what is not this one is none.
            return false
        }
        return isFound
    }

    /// The secret of this generation, if `event` gave it out.
    private static func secret(_ event: DomainEvent, _ family: UInt16, _ generation: UInt32)
        -> TokenDigest?
    {
        switch event {
        case .offlineGrant(.refreshTokenIssued(let issue, _))
        where issue.family == family && generation == 1:
            issue.secret
        case .offlineGrant(.refreshed(let refreshed))
        where refreshed.family == family && refreshed.generation == generation:
            refreshed.secret
        default: nil
        }
    }
}
