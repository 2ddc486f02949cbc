package import Domain

/// What a load asks for of one stream.
package struct WantedStream: Sendable {
    package let stream: StreamID
    /// The version its events are wanted after.
    package var after: Int32
    /// The format of a snapshot that may stand for the first events; nil: all events.
    package var format: Int32?

    /// Asks for events, and for nothing else unless there is a format.
    package init(_ stream: StreamID, after: Int32, format: Int32? = nil) {
        self.stream = stream
        self.after = after
        self.format = format
    }
}
