internal import Domain
internal import Issuing
internal import Postgres
internal import Runtime

// @unchecked: touched on `loop` alone; each entry checks.
/// Writes the snapshots that fall due on one loop, many in one transaction.
///
/// A transaction costs PostgreSQL and the loop as much as several of its rows do, and nobody waits
/// for a snapshot. One is under way at a time: the connection is there for reads. Nothing of one
/// server goes to another, which may lack what it says.
final class SnapshotWriter: @unchecked Sendable {
    /// Rows of one transaction; so many go at once.
    static let rowsMax = 16
    /// Bytes of states in one transaction, unless a single one has more.
    static let bytesMax = 128 * 1024
    /// From the beginning of one transaction to that of the next, unless enough rows wait.
    static let pace = Duration.milliseconds(250)
    /// Streams that wait; others are left out, and come with their next event.
    static let waitingMax = 64
    private static let writeMax = Duration.seconds(3)

    let loop: Loop
    private let connection: any LogConnection
    private let currentServer: @Sendable () -> Int
    private let digester: any Digester
    private let metrics: PersistenceMetrics
    /// In the order they fell due, each stream once.
    private var waiting: [(stream: StreamID, entry: StateCache.Entry)] = []
    private var writeBegan: MonotonicInstant?
    /// A transaction is under way, or begins at the end of this turn.
    private var isWriting = false
    private var timer: LoopTimer?

    init(
        over connection: any LogConnection,
        on loop: Loop,
        currentServer: @escaping @Sendable () -> Int,
        digester: any Digester,
        metrics: PersistenceMetrics
    ) {
        self.connection = connection
        self.loop = loop
        self.currentServer = currentServer
        self.digester = digester
        self.metrics = metrics
    }

    /// Has a snapshot written; false when too many wait.
    func takes(_ entry: StateCache.Entry, of stream: StreamID) -> Bool {
        loop.assertCurrent()
        if let place = waiting.firstIndex(where: { $0.stream == stream }) {
            let held = waiting[place].entry
            if (held.server, held.version) < (entry.server, entry.version) {
                waiting[place].entry = entry
            }
            return true
        }
        guard waiting.count < Self.waitingMax else { return false }
        waiting.append((stream, entry))
        plan()
        return true
    }

    private func plan() {
        guard !isWriting, !waiting.isEmpty else { return }
        let next = writeBegan?.advanced(by: Self.pace) ?? loop.now
        guard waiting.count >= Self.rowsMax || next <= loop.now else {
            if timer == nil { timer = loop.schedule(at: next) { [self] in isTime() } }
            return
        }
        timer?.cancel()
        timer = nil
        isWriting = true
        // At the end of the turn, so that what falls due in one turn travels together.
        loop.atEndOfTurn { [self] in begin() }
    }

    private func isTime() {
        timer = nil
        plan()
    }

    private func begin() {
        writeBegan = loop.now
        let server = currentServer()
        waiting.removeAll { $0.entry.server != server }
        let snapshots = nextSnapshots()
        loop.spawn { [self] in
            if !snapshots.isEmpty { await write(snapshots, of: server) }
            isWriting = false
            plan()
        }
    }

    /// Takes what goes in one transaction; made into bytes here, after the answers of the turn.
    private func nextSnapshots() -> [KeptSnapshot] {
        var snapshots: [KeptSnapshot] = []
        var (taken, bytes) = (0, 0)
        for (stream, entry) in waiting where snapshots.count < Self.rowsMax {
            if let snapshot = Snapshots.sealed(entry, of: stream, by: digester) {
                bytes += snapshot.stored.state.count
                guard bytes <= Self.bytesMax || snapshots.isEmpty else { break }
                snapshots.append(snapshot)
            }
            taken += 1
        }
        waiting.removeFirst(taken)
        return snapshots
    }

    private func write(_ snapshots: [KeptSnapshot], of server: Int) async {
        let deadline = loop.now.advanced(by: Self.writeMax)
        do {
            // One that comes while it is waited for may be another server's.
            try await connection.waitUntilReady(deadline: deadline)
            guard server == currentServer() else { return }
            try await connection.keep(snapshots, deadline: deadline)
            metrics.snapshotsWritten.add(snapshots.count)
        } catch {
            // Others of these streams are due 64 events later.
            metrics.snapshotsFailed.add(snapshots.count)
        }
    }
}
