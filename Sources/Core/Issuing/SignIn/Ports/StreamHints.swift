package import Domain

/// Tells that a stream has perhaps moved, on whichever node (Architecture 11).
///
/// A hint may be late, lost or wrong: who listens looks at the log, and looks again every 2 s.
package protocol StreamHints: Sendable {
    /// Starts to listen; hints from now on are kept for the next `wait`.
    ///
    /// Nil when as many listen already as may, or the process is going to end.
    func listen(to streams: [StreamID]) -> (any StreamListener)?
}
