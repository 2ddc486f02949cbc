internal import Domain

extension Projector {
    /// Tries the stopped keys again, each from PostgreSQL.
    mutating func retry() async throws(ProjectionTrouble) {
        guard let progress = active?.progress, !progress.blocked.isEmpty else { return }
        var known: [SessionID: Int32] = [:]
        let streams = progress.blocked.values.compactMap(\.stream)
        if !streams.isEmpty { known = try await store.versions(of: streams.map { SessionID($0) }) }
        var batch = ProjectionBatch(after: progress, versions: known)
        for key in progress.blocked.values.sorted(by: { $0.index < $1.index }) {
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
        if !batch.released.isEmpty { try await commit(batch) }
    }
}
