/// The `jti` of one access token (RFC 7519 section 4.1.7).
package struct TokenID: Hashable, Sendable, CustomStringConvertible {
    package let stream: StreamID

    package init(_ stream: StreamID) { self.stream = stream }

    /// Reads lower-case UUID text; anything else is nil.
    package init?(text: some Collection<UInt8>) {
        guard let stream = StreamID(text: text) else { return nil }
        self.stream = stream
    }

    /// The millisecond it was drawn in (RFC 9562 section 5.7).
    package var bornAt: Instant { stream.bornAt }

    /// Lower-case UUID text.
    package var description: String { stream.description }
}
