/// The event that made another one happen, in an earlier command.
package struct Cause: Hashable, Sendable {
    package var stream: StreamID
    package var version: Int32

    package init(stream: StreamID, version: Int32) {
        self.stream = stream
        self.version = version
    }
}
