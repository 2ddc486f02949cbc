package import Domain

/// A stream that was opened for a subject, and where in the log.
package struct OpenedStream: Hashable, Sendable {
    package var stream: StreamID
    package var kind: AggregateKind
    /// Of its first event: larger is newer.
    package var position: Int64
    /// Whether its newest event is one that nothing follows.
    package var isOver: Bool
    /// Whether nothing has happened in it since it was opened.
    package var isUntouched: Bool

    package init(
        _ stream: StreamID,
        _ kind: AggregateKind,
        at position: Int64,
        isOver: Bool,
        isUntouched: Bool
    ) {
        self.stream = stream
        self.kind = kind
        self.position = position
        self.isOver = isOver
        self.isUntouched = isUntouched
    }
}
