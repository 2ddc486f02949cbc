package import Domain
internal import Issuing

/// Commands that go into one append call: none touches what another appends to.
///
/// Bounds of Events 1: 256 commands, 512 rows, 1 MiB.
package struct AppendBatch: Sendable {
    static let commandsMax = 256
    static let rowsMax = 512
    static let bytesMax = 1024 * 1024

    private(set) var appends: [PendingAppend] = []
    private(set) var rowCount = 0
    private var byteCount = 0
    private var written: Set<StreamID> = []
    private var guarded: Set<StreamID> = []

    /// What is in it; a command's place is its ordinal in the answer.
    package var commands: [EncodedCommand] { appends.map(\.command) }

    var isEmpty: Bool { appends.isEmpty }
    var isFull: Bool { appends.count >= Self.commandsMax || rowCount >= Self.rowsMax }

    /// `commands`: about how many will be offered to it.
    init(expecting commands: Int) {
        let commands = min(commands, Self.commandsMax)
        appends.reserveCapacity(commands)
        written.reserveCapacity(commands)
        guarded.reserveCapacity(4 * commands)
    }

    /// Half of another batch: what fitted together still does.
    init(_ appends: some Sequence<PendingAppend>) {
        for append in appends { _ = add(append) }
    }

    /// False when it does not fit, or must not be in one call with what is in already.
    mutating func add(_ append: PendingAppend) -> Bool {
        let isFirst = appends.isEmpty
        guard isFirst || appends.count < Self.commandsMax,
            isFirst || rowCount + append.command.rows.count <= Self.rowsMax,
            isFirst || byteCount + append.command.byteCount <= Self.bytesMax,
            isFirst || !touches(append.command)
        else { return false }
        appends.append(append)
        rowCount += append.command.rows.count
        byteCount += append.command.byteCount
        written.formUnion(append.command.streams)
        for held in append.command.guards { guarded.insert(held.stream) }
        return true
    }

    private func touches(_ command: EncodedCommand) -> Bool {
        command.streams.contains { written.contains($0) || guarded.contains($0) }
            || command.guards.contains { written.contains($0.stream) }
    }

    /// Streams appended to, each once: `p_guardable`.
    package var streams: Set<StreamID> { written }
}
