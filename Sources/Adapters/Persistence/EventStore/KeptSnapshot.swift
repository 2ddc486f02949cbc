package import Domain

/// A snapshot to be written: what a stream was at a version.
package struct KeptSnapshot: Sendable {
    package let stream: StreamID
    package let version: Int32
    /// Of the state's bytes.
    package let format: Int32
    package let stored: StoredSnapshot
}
