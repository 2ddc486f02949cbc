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
        try await holder(
            of: digest,
            family: family,
            generation: generation,
            in: stream,
            by: deadline
        ) != nil
    }

    /// Whom the presented generation was given to; nil unless it was issued with this digest.
    package func holder(
        of digest: TokenDigest,
        family: UInt16,
        generation: UInt32,
        in stream: StreamID,
        by deadline: Deadline
    ) async throws(StoreError) -> ClientID? {
        var holder: ClientID?
        // Each earlier generation took an event, and so did the opening.
        try await store.eachEvent(of: stream, after: Int32(clamping: generation), by: deadline) {
            (event: RecordedEvent) async throws(StoreError) in
            guard let given = Self.given(event.body, family, generation) else { return true }
            holder = given.secret == digest ? given.client : nil
            // A generation has one secret: any other is wrong.
            return false
        }
        return holder
    }

    /// The secret of this generation and whose it is, if `event` gave it out.
    private static func given(_ event: DomainEvent, _ family: UInt16, _ generation: UInt32)
        -> (secret: TokenDigest, client: ClientID)?
    {
        switch event {
        case .offlineGrant(.refreshTokenIssued(let issue, _))
        where issue.family == family && generation == 1:
            (issue.secret, issue.client)
        case .offlineGrant(.refreshed(let refreshed))
        where refreshed.family == family && refreshed.generation == generation:
            refreshed.secret.map { ($0, refreshed.client) }
        default: nil
        }
    }
}
