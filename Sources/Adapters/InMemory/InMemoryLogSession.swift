package import Domain
internal import EventFormat
package import Publishing
internal import Runtime

/// One relay's connection to the log in memory; cut it, and the lead is free.
package final class InMemoryLogSession: RelayLeadership, EventLog, PublishedLedger {
    private let number: Int
    private let log: InMemoryEventLog
    private let isCut = Guarded(false)

    init(_ number: Int, of log: InMemoryEventLog) {
        self.number = number
        self.log = log
    }

    /// Ends the connection: every call fails from now on, and the lead is free.
    package func cut() {
        isCut.replace(with: true)
        log.contents.withLock { if $0.holder == number { $0.holder = nil } }
    }

    /// As a database that is back.
    package func mend() { isCut.replace(with: false) }

    package func lead() async throws(EventLogError) -> RelayTerm? {
        try use { contents in
            guard contents.holder == nil || contents.holder == number else { return nil }
            contents.holder = number
            contents.heartbeat = contents.now
            contents.relayEpoch += 1
            return RelayTerm(
                relayEpoch: contents.relayEpoch,
                cursor: contents.cursor,
                clusterID: contents.clusterID,
                acknowledged: contents.acknowledged,
                log: log.id,
                currentEpoch: contents.epoch
            )
        }
    }

    package func deposeHolder(silentFor silence: Duration) async throws(EventLogError) -> Bool {
        try use { contents in
            let silent = contents.now.millisecondsSince(contents.heartbeat)
            guard contents.holder != nil, silent > silence.components.seconds * 1000 else {
                return false
            }
            contents.holder = nil
            return true
        }
    }

    package func showLife(of relayEpoch: Int64) async throws(EventLogError) {
        try use { contents throws(EventLogError) in
            guard contents.relayEpoch == relayEpoch else { throw .fenced }
            contents.heartbeat = contents.now
        }
    }

    package func resign() async {
        log.contents.withLock { if $0.holder == number { $0.holder = nil } }
    }

    package func fence() async throws(EventLogError) -> Fence {
        try use {
            Fence(
                at: $0.now,
                oldestOpen: $0.open.min() ?? $0.nextXID,
                nextToBegin: $0.nextXID
            )
        }
    }

    package func rows(
        after place: LogPosition,
        belowFence: Bool
    ) async throws(EventLogError) -> [LogRow] {
        try use { contents in
            let fence = contents.open.min() ?? contents.nextXID
            let found = contents.rows.filter {
                $0.place.epoch == place.epoch && $0.place > place
                    && (!belowFence || $0.place.xid < fence)
            }
            return Array(found.sorted { $0.place < $1.place }.prefix(LogRow.batchMax))
        }
    }

    package func projectName(of project: ProjectNumber) async throws(EventLogError) -> ProjectID? {
        let name = log.projectName()
        return try use { contents in
            contents.rows.contains { $0.event.project == project } ? name : nil
        }
    }

    package func news(within time: Duration) async {}

    package func record(
        _ rows: [NumberedRow],
        cursor: RelayCursor,
        acknowledged: [Int32: Int64],
        by relayEpoch: Int64
    ) async throws(EventLogError) {
        try use { contents throws(EventLogError) in
            guard contents.relayEpoch == relayEpoch else { throw .fenced }
            if contents.isFull, !rows.isEmpty { throw .unavailable }
            contents.ledger += rows
            contents.cursor = cursor
            contents.acknowledged = acknowledged
        }
    }

    package func adopt(
        cluster: String?,
        acknowledged: [Int32: Int64],
        by relayEpoch: Int64
    ) async throws(EventLogError) {
        try use { contents throws(EventLogError) in
            guard contents.relayEpoch == relayEpoch else { throw .fenced }
            contents.clusterID = cluster
            contents.acknowledged = acknowledged
        }
    }

    package func published(in range: Range<Int64>) async throws(EventLogError) -> PublishedPage {
        try use { contents in
            let found = contents.ledger.filter { range.contains($0.index) }
                .prefix(LogRow.batchMax)
            return PublishedPage(
                rows: found.filter { $0.index >= contents.firstKept },
                next: found.last.map { $0.index + 1 } ?? range.upperBound
            )
        }
    }

    private func use<Answer>(
        _ body: (inout InMemoryEventLog.Contents) throws(EventLogError) -> Answer
    ) throws(EventLogError) -> Answer {
        if isCut.current { throw .unavailable }
        return try log.contents.withLock(body)
    }
}
