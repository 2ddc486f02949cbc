/// One waiting page.
package protocol StreamListener: Sendable {
    /// Returns at a hint, after `milliseconds`, or when the task is cancelled.
    func wait(milliseconds: Int) async

    /// Ends listening; exactly once.
    func cancel()
}
