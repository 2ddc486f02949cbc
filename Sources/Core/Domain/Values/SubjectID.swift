/// A user: the stream id of the subject; its text is `sub` (Events 8.1).
package struct SubjectID: Hashable, Sendable, CustomStringConvertible {
    package let stream: StreamID

    package init(_ stream: StreamID) { self.stream = stream }

    /// Reads lower-case UUID text; anything else is nil.
    package init?(text: some Collection<UInt8>) {
        guard let stream = StreamID(text: text) else { return nil }
        self.stream = stream
    }

    /// Lower-case UUID text.
    package var description: String { stream.description }
}
