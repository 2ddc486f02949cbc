package import Runtime

// @unchecked: touched on `loop` alone.
/// Holds a lane's next call back a little, so that commands travel together.
///
/// A call costs PostgreSQL as much as three commands do, so calls of one or two waste most of a
/// CPU at a third of what it could take. A lane that has rested is not held back, nor are commands
/// that come one after the other: who waits for each before the next has nobody to travel with.
package final class Gathering: @unchecked Sendable {
    /// From the beginning of one call to that of the next, unless enough commands wait.
    package static let pace = Duration.milliseconds(4)
    /// So many share the cost of a call well.
    package static let enough = 16

    private let loop: Loop
    private var callBegan: MonotonicInstant?
    /// Commands in that call.
    private var callCount = 0
    private var waiting: Resumption<Void>?
    private var timer: LoopTimer?

    /// A lane that has rested.
    package init(on loop: Loop) { self.loop = loop }

    /// A call of `count` commands begins.
    package func begins(with count: Int) { (callBegan, callCount) = (loop.now, count) }

    /// Returns when the next call may begin; `count` commands wait for it.
    package func wait(with count: Int) async {
        guard count > 0, count < Self.enough, max(count, callCount) > 1, let callBegan else {
            return
        }
        let end = callBegan.advanced(by: Self.pace)
        guard loop.now < end else { return }
        await loop.park { turn in
            waiting = turn
            timer = loop.schedule(at: end) { [self] in release() }
        }
    }

    /// Another command has come; `count` wait now.
    package func grew(to count: Int) { if count >= Self.enough { release() } }

    /// At the end of the turn, so that the commands of one turn travel together.
    private func release() {
        guard let turn = waiting else { return }
        waiting = nil
        timer?.cancel()
        loop.atEndOfTurn { turn.resume(returning: ()) }
    }
}
