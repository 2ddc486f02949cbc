import Domain
import EventFormat
import Issuing
import Persistence
import Publishing

// @unchecked: touched by the one thread that runs the simulation.
/// PostgreSQL as far as Chancery uses it: transactions with ids, positions with gaps, locks held to
/// the end of a transaction, a unique key, readers that see what is committed (Events 2, 3).
final class SimulatedDatabase: @unchecked Sendable {
    /// A committed row.
    struct Row {
        var place: LogPosition
        var event: StoredEvent
        var hash: EventHash
        var expected: Int32
        var recordedAt: Instant
    }

    /// A committed command.
    struct Commit {
        var command: EncodedCommand
        var xid: UInt64
        /// True time.
        var at: Instant
    }

    /// A transaction that has written.
    private struct Transaction {
        var xid: UInt64
        var exclusive: Set<StreamID>
        var shared: Set<StreamID>
    }

    private struct Waiting {
        var exclusive: Set<StreamID>
        var shared: Set<StreamID>
        var since: UInt64
        var answer: ([Int32]?) -> Void
        var go: () -> Void
    }

    /// A statement ends after 3 s, waiting for locks included: here 1 s of it, in ns.
    private static let lockWaitMax: UInt64 = 1_000_000_000

    let world: World
    let log: StreamID
    private(set) var streams: [StreamID: [Row]] = [:]
    /// In the order of commit.
    private(set) var commits: [Commit] = []
    /// All rows, in no order: the relay asks by place.
    private(set) var rows: [Row] = []
    private var open: [Transaction] = []
    private var waiting: [Waiting] = []
    private var nextXID: UInt64 = 700
    private var nextPosition: Int64 = 1
    /// What the relay keeps here.
    var relay: RelayTable
    /// What the projector keeps here.
    var model = ModelTables()
    /// How far the issuers have followed its ends.
    var endings: EndingTable
    let epoch: Int16 = 1
    /// What a control build leaves out of `es.append`.
    var defect = Defect.none

    /// Defects of the database itself: the checks must notice them.
    enum Defect { case none, versionsIgnored, guardsIgnored, fenceIgnored, latenessIgnored }

    init(_ world: World, log: StreamID) {
        self.world = world
        self.log = log
        relay = RelayTable(epoch: epoch)
        endings = EndingTable(place: .start(of: epoch))
    }

    /// What was handed over though it was decided long ago (decision 0044).
    private(set) var sentLate = 0
    /// What was handed over though it names a version that no stream has: nobody but the log says
    /// how far a stream is (I12).
    private(set) var sentUnseen = 0
    private var sent: Set<CommandID> = []
    private var committed: [CommandID: Int] = [:]

    func isSent(_ command: CommandID) -> Bool { sent.contains(command) }
    func isCommitted(_ command: CommandID) -> Bool { committed[command] != nil }
    func commitCount(of command: CommandID) -> Int { committed[command] ?? 0 }

    /// A second for the decision, one for the lane, by the clock of who decided.
    func isSent(_ commands: [EncodedCommand], by process: SimulatedProcess) {
        for command in commands {
            sent.insert(command.command)
            let isSeen =
                command.guards.allSatisfy { $0.version <= head($0.stream) }
                && command.rows.allSatisfy { $0.expected <= head($0.event.stream) }
            if !isSeen { sentUnseen += 1 }
        }
        // Where a clock has stepped the time of an event says nothing about when it was decided.
        guard !world.hasSteppedClock else { return }
        let oldest = world.wallTime(of: process).adding(milliseconds: -2_050)
        let rows = commands.flatMap(\.rows)
        if rows.contains(where: { $0.event.columns.occurredAt < oldest }) { sentLate += 1 }
    }

    // MARK: - es.append

    /// One call: the refused ordinals when it is committed; nil when it was aborted.
    func append(_ commands: [EncodedCommand], _ answer: @escaping ([Int32]?) -> Void) {
        let exclusive = Set(commands.flatMap(\.streams))
        let shared = Set(commands.flatMap { $0.guards.map(\.stream) }).subtracting(exclusive)
        guard isFree(exclusive, shared) else {
            waiting.append(
                Waiting(
                    exclusive: exclusive,
                    shared: shared,
                    since: world.nanoseconds,
                    answer: answer
                ) { [self] in append(commands, answer) }
            )
            return
        }
        var written: Set<StreamID> = []
        let refused = commands.indices.filter { index in
            // Two commands of one call that want one key: the lowest ordinal wins.
            guard isAdmissible(commands[index]), written.isDisjoint(with: commands[index].streams)
            else { return true }
            written.formUnion(commands[index].streams)
            return false
        }
        let taken = commands.indices.filter { !refused.contains($0) }.map { commands[$0] }
        guard !taken.isEmpty else { return answer(refused.map { Int32($0) }) }
        let xid = begin(exclusive, shared)
        let isAborted = world.faults.strikes(.commitLost)
        // Within the statement timeout of 3 s (Events 9.7).
        let isSlow = world.faults.strikes(.slowTransaction)
        // A commit that waits for its standby waits as long as that takes.
        let isHeld = isSlow && world.dice.strikes(150)
        let slow = isHeld ? 8_000_000 + world.dice.draw(8_000_000) : world.dice.draw(1_800_000)
        let delay = isSlow ? 20_000 + slow : 30 + moment()
        // Transaction ids and positions are handed out at different moments.
        world.send(afterMicroseconds: moment()) { [self] in
            let pending = place(taken, xid)
            world.send(afterMicroseconds: delay) { [self] in
                if !isAborted { commit(taken, pending, xid) }
                end(xid)
                answer(isAborted ? nil : refused.map { Int32($0) })
            }
        }
    }

    /// Usually 0 to 300 µs, now and then up to 20 ms: backends are not equally lucky.
    private func moment() -> Int { world.dice.draw(world.dice.strikes(120) ? 20_000 : 300) }

    private func isAdmissible(_ command: EncodedCommand) -> Bool {
        // Migration 0015: nothing that was decided long ago.
        let oldest = world.wallTime.adding(milliseconds: -5_000)
        guard
            defect == .latenessIgnored
                || command.rows.allSatisfy({ $0.event.columns.occurredAt >= oldest })
        else { return false }
        let heads = command.rows.allSatisfy { row in
            row.event.version != row.expected + 1 || defect == .versionsIgnored
                || head(row.event.stream) == row.expected
        }
        return heads
            && (defect == .guardsIgnored
                || command.guards.allSatisfy { head($0.stream) == $0.version })
    }

    private func place(_ commands: [EncodedCommand], _ xid: UInt64) -> [Row] {
        commands.flatMap(\.rows).map { row in
            // A sequence hands numbers out for good, aborted or not.
            nextPosition += 1 + Int64(world.dice.draw(2))
            let place = LogPosition(epoch: epoch, xid: xid, position: nextPosition)
            return Row(
                place: place,
                event: row.event,
                hash: row.hash,
                expected: row.expected,
                recordedAt: world.wallTime
            )
        }
    }

    private func commit(_ commands: [EncodedCommand], _ pending: [Row], _ xid: UInt64) {
        for row in pending {
            streams[row.event.stream, default: []].append(row)
            rows.append(row)
        }
        for command in commands {
            committed[command.command, default: 0] += 1
            commits.append(Commit(command: command, xid: xid, at: world.wallTime))
        }
    }

    // MARK: - Transactions

    private func isFree(_ exclusive: Set<StreamID>, _ shared: Set<StreamID>) -> Bool {
        open.allSatisfy { other in
            exclusive.isDisjoint(with: other.exclusive)
                && exclusive.isDisjoint(with: other.shared)
                && shared.isDisjoint(with: other.exclusive)
        }
    }

    private func begin(_ exclusive: Set<StreamID>, _ shared: Set<StreamID>) -> UInt64 {
        defer { nextXID += 1 }
        changes += 1
        open.append(Transaction(xid: nextXID, exclusive: exclusive, shared: shared))
        return nextXID
    }

    private func end(_ xid: UInt64) {
        changes += 1
        open.removeAll { $0.xid == xid }
        let woken = waiting
        waiting = []
        for one in woken {
            if world.nanoseconds - one.since > Self.lockWaitMax {
                one.answer(nil)
            } else if isFree(one.exclusive, one.shared) {
                one.go()
            } else {
                waiting.append(one)
            }
        }
    }

    /// A write transaction of somebody else, which holds the fence for a while.
    func idle(milliseconds: Int) {
        let xid = begin([], [])
        world.send(afterMicroseconds: milliseconds * 1000) { [self] in end(xid) }
    }

    /// Moves with every begin and end of a transaction.
    private(set) var changes = 0
    var isQuiet: Bool { open.isEmpty }

    var oldestOpen: UInt64 { open.map(\.xid).min() ?? nextXID }
    var nextToBegin: UInt64 { nextXID }

    // MARK: - Reading

    func head(_ stream: StreamID) -> Int32 { Int32(streams[stream]?.count ?? 0) }

    func rows(of stream: StreamID, after version: Int32) -> [Row] {
        Array((streams[stream] ?? []).dropFirst(Int(version)))
    }

    /// Rows for the relay: after a place, and below the fence of this moment.
    func rows(after place: LogPosition, belowFence: Bool) -> [LogRow] {
        let fence = defect == .fenceIgnored ? .max : oldestOpen
        let found = rows.filter {
            $0.place.epoch == place.epoch && $0.place > place
                && (!belowFence || $0.place.xid < fence)
        }
        return found.sorted { $0.place < $1.place }.prefix(LogRow.batchMax).map {
            LogRow(place: $0.place, event: $0.event, hash: $0.hash)
        }
    }
}
