internal import Runtime

// @unchecked: touched on `loop` alone.
/// Answers of a turn that go out in a row, a few at a time (decision 0185).
///
/// A write wakes a client that sleeps, and on a virtual machine to wake another CPU costs more
/// than all else in writing. Whoever waits for several answers, as a proxy does, is still awake
/// for those that follow the first at once.
final class TurnAnswers: @unchecked Sendable {
    /// As many are not kept waiting for others of their turn.
    static let countMax = 16
    /// As many handlers and handshakes may begin while an answer waits.
    static let begunMax = 32

    private let loop: Loop
    private var waiting: [Connection] = []
    private var writing: [Connection] = []
    private var begun = 0
    private var isScheduled = false
    private var isWriting = false

    init(on loop: Loop) { self.loop = loop }

    /// Has `connection` write what it has for its client, in this turn.
    func join(_ connection: Connection) {
        waiting.append(connection)
        if waiting.count >= Self.countMax { return write() }
        guard !isScheduled, !isWriting else { return }
        isScheduled = true
        // Before what others have left for then, such as snapshots.
        loop.atEndOfTurn(first: true) { [self] in
            isScheduled = false
            write()
        }
    }

    /// A handler is about to begin, or a step of a handshake.
    func letBegin() {
        guard !waiting.isEmpty else { return }
        begun += 1
        if begun >= Self.begunMax { write() }
    }

    /// Has all who wait write now.
    func write() {
        guard !isWriting else { return }
        isWriting = true
        defer { isWriting = false }
        begun = 0
        // Once: nothing begins among the writes, since what was sent ahead stands in line.
        while !waiting.isEmpty {
            swap(&waiting, &writing)
            for connection in writing { connection.writeNow() }
            writing.removeAll(keepingCapacity: true)
        }
    }
}
