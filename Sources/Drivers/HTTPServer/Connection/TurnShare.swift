internal import Runtime

/// How much of a turn of the loop one connection may have.
///
/// What a client sends ahead could otherwise keep all others waiting until it is answered.
struct TurnShare {
    /// One request, which takes four steps or five.
    ///
    /// An answer that asks PostgreSQL waits for several turns, and beside three hundred clients
    /// that send ahead a turn shall take milliseconds.
    static let stepsMax = 5
    /// Reads of the socket, which may bring a byte each or what is only thrown away.
    ///
    /// A record of TLS fits in one, so all that is left is where the next turn is told of it.
    static let readsMax = 8

    private var turn = MonotonicInstant(nanoseconds: 0)
    private var steps = 0
    /// Set when the share is used up; whoever comes back in a later turn takes it back.
    var isSpent = false

    /// False when there is nothing left in the turn that began at `now`.
    mutating func take(at now: MonotonicInstant) -> Bool {
        if turn != now { (turn, steps) = (now, 0) }
        isSpent = steps >= Self.stepsMax
        steps += 1
        return !isSpent
    }

    /// A step that found nothing to do does not count.
    mutating func giveBack() { steps -= 1 }

    /// No more steps in the turn that began at `now`.
    mutating func end(at now: MonotonicInstant) {
        (turn, steps) = (now, Self.stepsMax)
    }
}
