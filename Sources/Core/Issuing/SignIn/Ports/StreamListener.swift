/// One waiting page.
package protocol StreamListener: Sendable {
    /// Returns at a hint, after `milliseconds`, or when the task is cancelled.
    ///
    /// False when there is nothing to wait for any more: the process is going to end.
    func wait(milliseconds: Int) async -> Bool

    /// Ends listening; exactly once.
    func cancel()
}
