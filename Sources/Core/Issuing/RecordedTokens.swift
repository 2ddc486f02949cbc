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
        try await store.eachEvent(of: stream, by: deadline) {
            (event: RecordedEvent) async throws(StoreError) in
            switch event.body {
            case .offlineGrant(.refreshTokenIssued(let issue, _)):
                isFound = issue.family == family && generation == 1 && issue.secret == digest
            case .offlineGrant(.refreshed(let refreshed)):
                isFound =
                    refreshed.family == family && refreshed.generation == generation
                    && refreshed.secret == digest
            default: break
            }
            return !isFound
        }
        return isFound
    }
}
