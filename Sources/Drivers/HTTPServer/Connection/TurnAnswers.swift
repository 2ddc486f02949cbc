internal import Runtime

// @unchecked: touched on `loop` alone.
/// Answers of a turn that go out in a row, a few at a time.
///
/// A write wakes a client that sleeps, and on a virtual machine to wake another CPU costs more
/// than all else in writing. Whoever waits for several answers, as a proxy does, is still awake
/// for those that follow the first at once (Handbook, Speed).
final class TurnAnswers: @unchecked Sendable {
    /// As many are not kept waiting for others of their turn.
    static let countMax = 16

    private let loop: Loop
    private var waiting: [Connection] = []
    private var isScheduled = false
    private var isWriting = false

    init(on loop: Loop) { self.loop = loop }

    /// Has `connection` write what it has for its client, in this turn.
    func join(_ connection: Connection) {
        waiting.append(connection)
        if waiting.count >= Self.countMax { return write() }
        guard !isScheduled else { return }
        isScheduled = true
        loop.atEndOfTurn { [self] in
            isScheduled = false
            write()
        }
    }

    /// Has all who wait write now.
    func write() {
        guard !isWriting else { return }
        isWriting = true
        defer { isWriting = false }
        // Who has written may go on to what its client sent ahead, and join again.
        while !waiting.isEmpty {
            let connections = waiting
            waiting.removeAll(keepingCapacity: true)
            for connection in connections { connection.writeNow() }
        }
    }
}
