package import Domain

/// Waits between attempts without holding a thread.
package protocol Pause: Sendable {
    /// Returns after `milliseconds`, also when the task is cancelled: a command whose client has
    /// left goes on, and with pauses that are over at once it would lose against any other.
    func wait(milliseconds: Int) async

    /// The deadline `milliseconds` from now.
    func deadline(inMilliseconds milliseconds: Int) -> Deadline

    /// Whether `deadline` has passed.
    func isPast(_ deadline: Deadline) -> Bool
}

extension Pause {
    package func isPast(_ deadline: Deadline) -> Bool {
        self.deadline(inMilliseconds: 0) > deadline
    }
}
