import Domain
import EventFormat
import Projections
import Publishing

// @unchecked: touched by the one thread that runs the simulation.
/// The read model against the events it says it has read: invariant I11.
final class ModelChecks: @unchecked Sendable {
    private var database: SimulatedDatabase?
    private var applied: Set<Int64> = []
    private var found: [(String, String)] = []
    private var frontierSeen: Int64 = -1
    private var claimSeen: LogWatermark?

    /// Called in the transaction that applies a batch, before it.
    func willApply(
        _ batch: ProjectionBatch,
        _ database: SimulatedDatabase,
        _ topic: SimulatedTopic,
        _ cluster: String
    ) {
        self.database = database
        let before = database.model
        for (partition, index) in batch.progress.applied
        where index < min(before.applied[partition, default: -1], before.frontier) {
            found.append(("I11", "the last number of a partition went back"))
        }
        for (partition, offset) in batch.progress.offsets {
            let count = topic.longest[Int(partition)]
            guard cluster.utf8.elementsEqual(topic.clusterID.utf8) else { continue }
            if offset > count { found.append(("I11", "an offset beyond the partition's end")) }
        }
        var twice = false
        for revocation in batch.rows.map(\.revocation) {
            guard let index = revocation.logIndex else { continue }
            if !applied.insert(index).inserted { twice = true }
        }
        if twice { found.append(("I11", "an event was applied twice")) }
    }

    func look(_ broken: (String, String) -> Void) {
        for (invariant, sentence) in found { broken(invariant, sentence) }
        found = []
        guard let database else { return }
        claim(in: database, broken)
        let frontier = database.model.frontier
        if frontier < frontierSeen { broken("I11", "the frontier went back") }
        guard frontier > frontierSeen else { return }
        // The frontier says that nothing up to it is missing, but for keys that are stopped.
        let stopped = Set(database.model.blocked.compactMap(\.stream))
        for row in database.relay.ledger
        where row.index > frontierSeen && row.index <= frontier {
            let event = row.row.event
            guard !stopped.contains(event.stream) else { continue }
            let known = database.model.sessions[SessionID(event.stream)]?.version ?? 0
            if Self.isOfSession(event.type), known < event.version {
                broken("I11", "event \(row.index) is missing behind the frontier")
            }
            guard let key = Self.key(row), database.model.revocations[key] == nil else { continue }
            broken("I11", "revocation \(row.index) is missing behind the frontier")
        }
        frontierSeen = frontier
    }

    /// Whatever happened up to the time it claims has been read.
    private func claim(in database: SimulatedDatabase, _ broken: (String, String) -> Void) {
        let model = database.model
        guard let complete = model.complete, complete != claimSeen else { return }
        claimSeen = complete
        let numbers = Set(
            database.relay.ledger.filter { $0.index <= model.frontier }.map(\.row.place)
        )
        for row in database.rows where row.event.columns.occurredAt <= complete.completeThrough {
            if !numbers.contains(row.place) {
                return broken("I11", "the model claims to be complete without an event")
            }
        }
    }

    private static func isOfSession(_ type: Int16) -> Bool {
        switch type {
        case 501...506, 701...719: true
        default: false
        }
    }

    /// The key of a row that an event makes; by Events 10.3, not by the projection.
    static func key(_ row: NumberedRow) -> String? {
        switch row.row.event.type {
        case 711, 506: row.row.event.stream.description
        default: nil
        }
    }

    /// A watermark on `chancery.revocations`: every revocation up to it stands on the same cluster.
    func hears(
        _ watermark: LogWatermark,
        _ database: SimulatedDatabase,
        _ topic: SimulatedTopic
    ) {
        for row in database.relay.ledger where row.index <= watermark.index {
            guard let key = Self.key(row), topic.revocations[key] == nil else { continue }
            let sentence = "the topic is called complete without revocation \(row.index)"
            return found.append(("I11", sentence))
        }
    }

    /// `chancery.revocations` against the model, once everything is told.
    func compare(_ database: SimulatedDatabase, _ topic: SimulatedTopic) -> String? {
        for (key, row) in database.model.revocations where topic.revocations[key] == nil {
            return "\(key), number \(row.logIndex ?? -1), is in no record of the topic"
        }
        for (key, record) in topic.revocations
        where database.model.revocations[key]?.logIndex != record.index {
            return "the record of \(key) is another than its row"
        }
        return nil
    }

    /// The whole model against the whole log, once everything has been read.
    func compare(_ database: SimulatedDatabase, _ broken: (String, String) -> Void) {
        var ended: [StreamID: Int64] = [:]
        var versions: [StreamID: Int32] = [:]
        for row in database.relay.ledger {
            let event = row.row.event
            if Self.isOfSession(event.type) {
                versions[event.stream] = max(versions[event.stream] ?? 0, event.version)
            }
            if event.type == 711 || event.type == 506 { ended[event.stream] = row.index }
        }
        let model = database.model
        let sessions = model.revocations.values.filter {
            if case .session = $0.key { true } else { false }
        }
        if Set(sessions.map(\.key.session.stream)) != Set(ended.keys) {
            broken("I11", "the revocations differ from those of the log")
        }
        for (stream, version) in versions {
            let row = model.sessions[SessionID(stream)]
            if row?.version != version { broken("I11", "a session's row is at another version") }
            if (row?.endedAt != nil) != (ended[stream] != nil) {
                broken("I11", "a session's row has another end than its stream")
            }
        }
        if model.sessions.count != versions.count {
            broken("I11", "the list of sessions has other rows than the log has sessions")
        }
        rebuild(database, broken)
    }

    /// Rebuilt from the whole log the model is the same, row by row.
    private func rebuild(_ database: SimulatedDatabase, _ broken: (String, String) -> Void) {
        let ledger = database.relay.ledger.sorted { $0.index < $1.index }
        let rebuilt = ModelTables(rebuiltFrom: ledger.compactMap(SimulatedProjection.event))
        if rebuilt.revocations != database.model.revocations {
            broken("I11", "a revocation's row is another when the model is rebuilt")
        }
        if rebuilt.sessions != database.model.sessions {
            broken("I11", "a session's row is another when the model is rebuilt")
        }
    }
}
