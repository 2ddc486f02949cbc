package import Domain

/// "This stream is still at this version", without writing to it (Architecture 8.8).
package struct StreamGuard: Hashable, Sendable {
    package var stream: StreamID
    package var version: Int32
    /// Which server said so, as the store counts those it has been connected to: on another one the
    /// stream may have reached the same version by other events (decision 0151).
    package var server: Int

    package init(stream: StreamID, version: Int32, server: Int = 0) {
        self.stream = stream
        self.version = version
        self.server = server
    }

    /// Whether it was read from `server`; a stream that is not there is the same at any.
    package func isOf(_ server: Int) -> Bool { self.server == server || version == 0 }
}
