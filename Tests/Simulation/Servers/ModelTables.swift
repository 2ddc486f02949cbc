import Domain
import Projections
import Publishing

/// The tables of schema `revocation`, with the rules of their statements.
struct ModelTables {
    struct SessionRow: Hashable {
        var opening: RecordedSessions.Session
        var version: Int32
        var seenAt: Instant?
        var endedAt: Instant?
        var reason: String?
    }

    /// By key; the first row of a key stays, but a client may leave again (add_revocations.sql).
    private(set) var revocations: [String: Revocations.Revocation] = [:]
    /// By session; only later versions change a row (change_sessions.sql).
    private(set) var sessions: [SessionID: SessionRow] = [:]
    private(set) var offsets: [Int32: Int64] = [:]
    private(set) var clusterID: String?
    private(set) var revocationsCluster: String?
    private(set) var acknowledged: [Int32: Int64] = [:]
    private(set) var applied: [Int32: Int64] = [:]
    private(set) var frontier: Int64 = -1
    private(set) var complete: LogWatermark?
    /// What was applied, each batch's changes in order: a second time would be a duplicate.
    private(set) var changes: [Int64: Int] = [:]
    private(set) var late: Int64 = 0
    private(set) var blocked: [BlockedKey] = []
    /// Keys of rows that are not on Kafka yet, oldest first.
    private(set) var outbox: [String] = []
    /// The session that holds the lead.
    var holder: Int?
    var heardAt = Instant(microseconds: 0)
    var sessionsMade = 0

    /// One transaction: rows and position together.
    mutating func apply(_ batch: ProjectionBatch, of cluster: String) {
        for revocation in batch.rows.map(\.revocation) {
            take(revocation)
            changes[revocation.logIndex ?? -1, default: 0] += 1
        }
        for patch in batch.sessions { take(patch) }
        offsets.merge(batch.progress.offsets) { $1 }
        if !batch.progress.offsets.isEmpty { clusterID = cluster }
        for (partition, index) in batch.progress.applied { applied[partition] = index }
        frontier = batch.progress.frontier
        complete = batch.progress.complete
        late = batch.progress.late
        blocked = batch.progress.blocked.values.sorted { $0.index < $1.index }
    }

    /// A few of those whose keys follow, in the order of the keys; answers the last.
    mutating func queueAgain(after key: String, forCluster cluster: String) -> String? {
        let keys = revocations.keys.filter { $0 > key }.sorted().prefix(4)
        if keys.isEmpty { (revocationsCluster, acknowledged) = (cluster, [:]) }
        outbox += keys.filter { !outbox.contains($0) }
        return keys.last
    }

    /// They are on Kafka now, as they were read.
    mutating func took(_ records: [RevocationRecord], acknowledged: [Int32: Int64]) {
        self.acknowledged = acknowledged
        outbox.removeAll { key in
            let index = revocations[key]?.logIndex
            return records.contains { $0.key.utf8.elementsEqual(key.utf8) && $0.index == index }
        }
    }

    /// The last version applied of each session.
    var versions: [SessionID: Int32] { sessions.mapValues(\.version) }

    private mutating func take(_ revocation: Revocations.Revocation) {
        let key = revocation.key.description
        let isAgain =
            revocation.issuedBefore != nil
            && revocations[key]?.logIndex ?? 0 < revocation.logIndex ?? 0
        guard revocations[key] == nil || isAgain else { return }
        revocations[key] = revocations[key].map(revocation.replacing) ?? revocation
        outbox.append(key)
    }

    private mutating func take(_ patch: RecordedSessions.Patch) {
        if let opening = patch.opening, sessions[patch.session] == nil {
            sessions[patch.session] = SessionRow(opening: opening, version: 0)
        }
        guard var row = sessions[patch.session], row.version < patch.version else { return }
        row.version = patch.version
        row.seenAt = patch.seenAt ?? row.seenAt
        row.endedAt = patch.endedAt ?? row.endedAt
        row.reason = patch.reason ?? row.reason
        sessions[patch.session] = row
    }

    /// What a projector makes of these events that begins without tables, one by one.
    init(rebuiltFrom events: [RecordedEvent]) {
        for event in events {
            for change in RecordedSessions.changes(for: event) {
                take(RecordedSessions.Patch(change))
            }
            for case .put(let revocation) in Revocations.changes(for: event) { take(revocation) }
        }
    }

    init() {}

    /// As an operator who restores an old position.
    mutating func rewind(by records: Int64) {
        for (partition, offset) in offsets { offsets[partition] = max(0, offset - records) }
    }
}
