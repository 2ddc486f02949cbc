/// UUIDv7 of one command; the same on every retry (Events 1).
package struct CommandID: Hashable, Sendable, CustomStringConvertible {
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
