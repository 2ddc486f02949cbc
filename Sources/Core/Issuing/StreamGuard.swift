package import Domain

/// "This stream is still at this version", without writing to it (architecture.md section 8.8).
package struct StreamGuard: Hashable, Sendable {
    package var stream: StreamID
    package var version: Int32

    package init(stream: StreamID, version: Int32) {
        self.stream = stream
        self.version = version
    }
}
