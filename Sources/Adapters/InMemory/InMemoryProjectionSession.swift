package import Domain
internal import EventFormat
internal import Projections
package import Publishing
internal import Runtime

/// One projector's connection to the read models in memory; cut it, and the lead is free.
package final class InMemoryProjectionSession: ProjectionStore {
    private let number: Int
    private let model: InMemoryReadModel
    private let isCut = Guarded(false)

    init(_ number: Int, of model: InMemoryReadModel) {
        self.number = number
        self.model = model
    }

    /// Ends the connection: every call fails from now on, and the lead is free.
    package func cut() {
        isCut.replace(with: true)
        model.contents.withLock { if $0.holder == number { $0.holder = nil } }
    }

    /// As a database that is back.
    package func mend() { isCut.replace(with: false) }

    package func lead() async throws(ProjectionTrouble) -> Bool {
        try use { contents in
            guard contents.holder == nil || contents.holder == number else { return false }
            contents.holder = number
            contents.heardAt = model.log.now
            return true
        }
    }

    package func showLife() async throws(ProjectionTrouble) { try use { _ in } }

    package func deposeHolder(
        silentFor silence: Duration
    ) async throws(ProjectionTrouble) -> Bool {
        let now = model.log.now
        return try use { contents in
            guard let holder = contents.holder,
                now.millisecondsSince(contents.heardAt) > silence.components.seconds * 1000
            else { return false }
            contents.ended.insert(holder)
            contents.holder = nil
            return true
        }
    }

    package func resign() async {
        model.contents.withLock { if $0.holder == number { $0.holder = nil } }
    }

    package func position() async throws(ProjectionTrouble) -> ProjectionPosition {
        try use { contents in
            let stored = contents.progress
            let progress = ProjectionProgress(
                log: stored.log,
                generation: contents.generation,
                offsets: contents.offsets,
                applied: stored.applied,
                frontier: stored.frontier,
                late: stored.late,
                complete: stored.complete,
                blocked: Array(stored.blocked.values)
            )
            return ProjectionPosition(
                progress: progress,
                cluster: contents.cluster,
                revocationsCluster: contents.revocationsCluster,
                acknowledged: contents.acknowledged
            )
        }
    }

    package func versions(
        of sessions: [SessionID]
    ) async throws(ProjectionTrouble) -> [SessionID: Int32] {
        try use { contents in
            let found = sessions.compactMap { session in
                contents.sessions[session].map { (session, $0.version) }
            }
            return Dictionary(found) { first, _ in first }
        }
    }

    package func history(
        of stream: StreamID,
        after version: Int32,
        upTo last: Int32
    ) async throws(ProjectionTrouble) -> StreamHistory {
        let ledger = model.log.ledger
        let stored = model.log.contents.withLock { contents in
            contents.rows.filter {
                $0.event.stream == stream && $0.event.version > version && $0.event.version <= last
            }
        }
        let readable = try use { $0.readable }
        var events: [RecordedEvent] = []
        var reached = version
        for row in stored.sorted(by: { $0.event.version < $1.event.version }) {
            guard let index = ledger.first(where: { $0.row.place == row.place })?.index else {
                return last == .max ? .events(events, last: reached, isAll: false) : .unnumbered
            }
            guard let event = Self.event(row, index), readable(event) else {
                return .unreadable("version \(row.event.version)")
            }
            reached = event.version
            if Self.isOfSession(event) { events.append(event) }
        }
        return .events(events, last: reached, isAll: true)
    }

    package func stream(at index: Int64) async throws(ProjectionTrouble) -> StreamID? {
        try use { _ in }
        return model.log.ledger.first { $0.index == index }?.row.event.stream
    }

    package func published(
        after index: Int64
    ) async throws(ProjectionTrouble) -> PublishedRange? {
        let readable = try use { $0.readable }
        let rows = model.log.ledger.filter { $0.index > index }.prefix(3)
        guard let last = rows.last?.index else { return nil }
        var unreadable: [BlockedKey] = []
        let events = rows.compactMap { numbered -> RecordedEvent? in
            let stream = numbered.row.event.stream
            guard !unreadable.contains(where: { $0.stream == stream }) else { return nil }
            if let event = Self.event(numbered.row, numbered.index), readable(event) {
                return Self.isOfSession(event) ? event : nil
            }
            unreadable.append(
                BlockedKey(
                    key: stream.textBytes,
                    partition: -1,
                    offset: -1,
                    index: numbered.index,
                    stream: stream,
                    reason: "unreadable"
                )
            )
            return nil
        }
        return PublishedRange(events: events, unreadable: unreadable, last: last)
    }

    package func apply(
        _ batch: ProjectionBatch,
        onCluster cluster: String
    ) async throws(ProjectionTrouble) {
        try use { contents throws(ProjectionTrouble) in
            guard contents.generation == batch.progress.generation else { throw .superseded }
            for row in batch.rows { contents.put(row) }
            for patch in batch.sessions { Self.apply(patch, to: &contents.sessions) }
            contents.progress = batch.progress
            contents.offsets.merge(batch.progress.offsets) { $1 }
            if !batch.progress.offsets.isEmpty { contents.cluster = cluster }
        }
    }

    package func outbox() async throws(ProjectionTrouble) -> [RevocationRecord] {
        let log = model.log.id
        return try use { contents in
            contents.outbox.prefix(500).compactMap { key in
                contents.rows[key].map { Self.record($0, of: log) }
            }
        }
    }

    package func queueAgain(
        after key: String,
        in generation: Int32,
        forCluster cluster: String
    ) async throws(ProjectionTrouble) -> String? {
        try use { contents throws(ProjectionTrouble) in
            guard contents.generation == generation else { throw .superseded }
            let keys = contents.rows.keys.filter { $0 > key }.sorted().prefix(2)
            if keys.isEmpty {
                contents.revocationsCluster = cluster
                contents.acknowledged = [:]
            }
            contents.outbox += keys.filter { !contents.outbox.contains($0) }
            return keys.last
        }
    }

    package func published(
        _ records: [RevocationRecord],
        in generation: Int32,
        acknowledged: [Int32: Int64]
    ) async throws(ProjectionTrouble) {
        let keys = Set(records.map(\.key))
        try use { contents throws(ProjectionTrouble) in
            guard contents.generation == generation else { throw .superseded }
            contents.outbox.removeAll { keys.contains($0) }
            contents.acknowledged = acknowledged
        }
    }

    package func dropOld() async throws(ProjectionTrouble) {
        try use { contents throws(ProjectionTrouble) in
            if contents.failsUpkeep { throw .unavailable }
        }
    }

    package func toBury() async throws(ProjectionTrouble) -> [String] {
        try use { contents in
            contents.rows.filter { key, row in
                !contents.outbox.contains(key)
                    && row.revocation.subject.map { contents.erased.contains($0) } ?? false
            }.keys.sorted()
        }
    }

    package func buried(_ keys: [String]) async throws(ProjectionTrouble) {
        try use { contents in for key in keys { contents.rows[key] = nil } }
    }

    package func number(of project: ProjectID) -> ProjectNumber? {
        project == model.log.projectName() ? ProjectNumber(1) : nil
    }

    package func refreshProjects() async throws(ProjectionTrouble) { try use { _ in } }

    // MARK: - Parts

    private func use<Answer>(
        _ body: (inout InMemoryReadModel.Contents) throws(ProjectionTrouble) -> Answer
    ) throws(ProjectionTrouble) -> Answer {
        if isCut.current { throw .unavailable }
        let now = model.log.now
        return try model.contents.withLock { contents throws(ProjectionTrouble) in
            // Its session was ended; the next one can be the leader again.
            if contents.ended.remove(number) != nil { throw .unavailable }
            if contents.holder == number { contents.heardAt = now }
            return try body(&contents)
        }
    }

    private static func isOfSession(_ event: RecordedEvent) -> Bool {
        switch event.body {
        case .offlineGrant, .browserSession: true
        case .subject, .loginID, .loginLink, .authorization, .authorizationCode, .biometricKey,
            .preAuthenticatedURL, .consent, .spent, .signingKey, .projectConfig:
            false
        }
    }

    private static func event(_ row: LogRow, _ index: Int64) -> RecordedEvent? {
        guard
            let body = try? EventFormat.decode(
                type: row.event.type,
                payload: row.event.payload,
                columns: row.event.columns
            )
        else { return nil }
        return RecordedEvent(
            logIndex: index,
            project: row.event.project,
            stream: row.event.stream,
            version: row.event.version,
            occurredAt: row.event.columns.occurredAt,
            subject: row.event.columns.subject,
            session: row.event.columns.session,
            body: body
        )
    }

    private static func apply(
        _ patch: RecordedSessions.Patch,
        to sessions: inout [SessionID: InMemoryReadModel.SessionRow]
    ) {
        if let opening = patch.opening, sessions[patch.session] == nil {
            sessions[patch.session] = InMemoryReadModel.SessionRow(
                opening: opening,
                version: patch.version,
                seenAt: patch.seenAt ?? opening.openedAt,
                endedAt: patch.endedAt,
                reason: patch.reason
            )
        }
        guard var row = sessions[patch.session], row.version < patch.version else { return }
        row.version = patch.version
        row.seenAt = patch.seenAt ?? row.seenAt
        row.endedAt = patch.endedAt ?? row.endedAt
        row.reason = patch.reason ?? row.reason
        sessions[patch.session] = row
    }
}
