import Domain
import Projections
import Publishing

/// The tables of schema `revocation`, with the rules of their statements.
struct ModelTables {
    struct SessionRow: Hashable {
        var version: Int32
        var isEnded = false
        var reason: String?
    }

    /// By key; the first row of a key stays (add_revocations.sql).
    private(set) var revocations: [String: Revocations.Revocation] = [:]
    /// By session; only later versions change a row (change_session_row.sql).
    private(set) var sessions: [SessionID: SessionRow] = [:]
    private(set) var offsets: [Int32: Int64] = [:]
    private(set) var clusterID: String?
    private(set) var applied: [Int32: Int64] = [:]
    private(set) var frontier: Int64 = -1
    private(set) var complete: LogWatermark?
    /// What was applied, each batch's changes in order: a second time would be a duplicate.
    private(set) var changes: [Int64: Int] = [:]
    var holder: Int?

    /// One transaction: rows and position together.
    mutating func apply(_ batch: ProjectionBatch, of cluster: String) {
        for revocation in batch.revocations {
            let key = revocation.key.description
            if revocations[key] == nil { revocations[key] = revocation }
            changes[revocation.logIndex ?? -1, default: 0] += 1
        }
        for change in batch.sessions { take(change) }
        offsets = batch.progress.offsets
        clusterID = cluster
        for (partition, index) in batch.progress.applied { applied[partition] = index }
        frontier = batch.progress.frontier
        complete = batch.progress.complete ?? complete
    }

    private mutating func take(_ change: SessionList.Change) {
        switch change {
        case .open(let session):
            if sessions[session.session] == nil {
                sessions[session.session] = SessionRow(version: session.version)
            }
        case .see(let id, let version, _), .advance(let id, let version):
            move(id, to: version)
        case .end(let id, let version, _, let reason):
            guard move(id, to: version) else { return }
            sessions[id]?.isEnded = true
            sessions[id]?.reason = reason
        }
    }

    @discardableResult
    private mutating func move(_ id: SessionID, to version: Int32) -> Bool {
        guard let row = sessions[id], row.version < version else { return false }
        sessions[id]?.version = version
        return true
    }

    /// As an operator who restores an old position.
    mutating func rewind(by records: Int64) {
        for (partition, offset) in offsets { offsets[partition] = max(0, offset - records) }
    }
}
