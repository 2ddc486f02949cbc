internal import Domain

extension Projector {
    /// Keys that are tried in one go: neither the turn nor the transaction grows with their count.
    private static var triesMax: Int { 50 }

    /// Tries the next of the stopped keys again, each from PostgreSQL.
    mutating func retry() async throws(ProjectionTrouble) {
        let keys = active?.keysToTry(atMost: Self.triesMax) ?? []
        let hasReleased = try await release(keys)
        let hasMore = active?.hasKeysToTry ?? false
        // While keys go on the rest does not wait, but for what is not stopped: what goes on is
        // told first, then the topic is read, then the next are tried.
        let isNextSoon = hasMore && hasReleased
        let pause: UInt64 = isNextSoon ? 0 : hasMore ? 1_000_000_000 : 10_000_000_000
        let now = clock.nanoseconds
        active?.retryAt = now + pause
        active?.readsBeforeRetry = isNextSoon
    }

    /// Lets those of the keys go on that can be read now; false when there are none.
    private mutating func release(_ keys: [BlockedKey]) async throws(ProjectionTrouble) -> Bool {
        guard let progress = active?.progress, !keys.isEmpty else { return false }
        let sessions = keys.compactMap(\.stream).map { SessionID($0) }
        var batch = ProjectionBatch(
            after: progress,
            versions: try await store.versions(of: sessions)
        )
        for key in keys {
            guard let stream = key.stream else { continue }
            let version = batch.version(of: SessionID(stream))
            let history = try await store.history(of: stream, after: version, upTo: .max)
            // What came while the key was stopped was counted and not applied: all of it must be
            // here, also what the relay has published and not recorded yet.
            guard case .events(let events, let last, isAll: true) = history, last > version
            else { continue }
            batch.release(key.key)
            batch.fill(events)
        }
        guard !batch.released.isEmpty else { return false }
        try await commit(batch)
        return true
    }
}
