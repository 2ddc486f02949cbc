import Domain
import Publishing

/// `es.relay_cursor` and `es.ledger`, and who holds the lock.
struct RelayTable {
    var cursor: RelayCursor
    var clusterID: String?
    var acknowledged: [Int32: Int64] = [:]
    var relayEpoch: Int64 = 0
    /// The session that holds the advisory lock.
    var holder: Int?
    var heartbeat = Instant(microseconds: 0)
    private(set) var ledger: [NumberedRow] = []
    private var numbers: Set<Int64> = []
    var sessionsMade = 0

    init(epoch: Int16) {
        cursor = RelayCursor(place: .start(of: epoch), nextIndex: 0)
    }

    /// False: a number is there already, and the transaction fails (the ledger's primary key).
    mutating func keep(_ rows: [NumberedRow]) -> Bool {
        guard rows.allSatisfy({ !numbers.contains($0.index) }) else { return false }
        for row in rows { numbers.insert(row.index) }
        ledger += rows
        return true
    }
}
