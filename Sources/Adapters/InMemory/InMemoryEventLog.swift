package import Domain
package import EventFormat
package import Publishing
internal import Runtime

/// The log as relays see it, in memory: open transactions, a lead, a cursor, a ledger.
///
/// Several sessions share it, one per relay.
package final class InMemoryEventLog: Sendable {
    struct Contents {
        var rows: [LogRow] = []
        var open: Set<UInt64> = []
        var nextXID: UInt64 = 1
        var now = Instant(microseconds: 1_800_000_000_000_000)
        var epoch: Int16 = 1
        var holder: Int?
        var heartbeat = Instant(microseconds: 0)
        var relayEpoch: Int64 = 0
        var cursor = RelayCursor(place: .start(of: 1), nextIndex: 0)
        var clusterID: String?
        var acknowledged: [Int32: Int64] = [:]
        var ledger: [NumberedRow] = []
        var firstKept: Int64 = 0
        var sessionsMade = 0
        var isFull = false
    }

    /// The id of this log.
    package let id: StreamID
    private let name: ProjectID
    let contents = Guarded(Contents())

    /// Makes an empty log of one project.
    package init(id: StreamID, project: ProjectID) {
        self.id = id
        name = project
    }

    func projectName() -> ProjectID { name }

    /// A connection of one relay.
    package func session() -> InMemoryLogSession {
        let number = contents.withLock {
            $0.sessionsMade += 1
            return $0.sessionsMade
        }
        return InMemoryLogSession(number, of: self)
    }

    /// Opens a transaction; what it inserts is seen after `commit`.
    package func begin() -> UInt64 {
        contents.withLock { contents in
            defer { contents.nextXID += 1 }
            contents.open.insert(contents.nextXID)
            return contents.nextXID
        }
    }

    /// Commits a transaction with these events, in order.
    package func commit(_ xid: UInt64, _ events: [(StoredEvent, EventHash)]) {
        contents.withLock { contents in
            for (event, hash) in events {
                let place = LogPosition(
                    epoch: contents.epoch,
                    xid: xid,
                    position: Int64(contents.rows.count) + 1
                )
                contents.rows.append(LogRow(place: place, event: event, hash: hash))
            }
            contents.open.remove(xid)
        }
    }

    /// Lets time pass.
    package func advance(seconds: Int64) {
        contents.withLock { $0.now = $0.now.adding(seconds: seconds) }
    }

    /// As a partition that is dropped: the events before a number are gone, the order is kept.
    package func dropEvents(before index: Int64) { contents.withLock { $0.firstKept = index } }

    /// As a disk that has no room for the ledger, or has it again.
    package func setFull(_ isFull: Bool) { contents.withLock { $0.isFull = isFull } }

    /// The database's clock.
    package var now: Instant { contents.withLock { $0.now } }

    /// The published order so far.
    package var ledger: [NumberedRow] { contents.withLock { $0.ledger } }

    /// The cursor as it stands.
    package var cursor: RelayCursor { contents.withLock { $0.cursor } }

    /// The cluster that has everything up to the cursor.
    package var clusterID: String? { contents.withLock { $0.clusterID } }

    /// As in a cluster that a dump was restored into: transaction ids start again.
    package func restartTransactions() { contents.withLock { $0.nextXID = 1 } }

    /// As after a restore that was done right: transaction ids start again, in a new epoch.
    package func beginEpoch() {
        contents.withLock { contents in
            contents.epoch += 1
            contents.nextXID = 1
        }
    }

    /// As after a failover that lost the end: events and order from `index` on are gone.
    package func loseHistory(from index: Int64) {
        contents.withLock { contents in
            let lost = Set(contents.ledger.filter { $0.index >= index }.map(\.row.place))
            contents.ledger.removeAll { $0.index >= index }
            contents.rows.removeAll { lost.contains($0.place) }
            contents.cursor.nextIndex = index
            contents.cursor.place = contents.ledger.last?.row.place ?? .start(of: contents.epoch)
        }
    }
}
