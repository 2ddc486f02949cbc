package import Domain

/// Waits between attempts without holding a thread.
package protocol Pause: Sendable {
    /// Returns after `milliseconds`; returns at once when the task is cancelled.
    func wait(milliseconds: Int) async

    /// The deadline `milliseconds` from now.
    func deadline(inMilliseconds milliseconds: Int) -> Deadline
}
