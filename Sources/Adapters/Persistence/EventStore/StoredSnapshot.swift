/// A row of `es.snapshots`: not believed before it is checked.
package struct StoredSnapshot: Sendable {
    /// Of the stream's event at the version whose state this is.
    package let hash: [UInt8]
    /// In the format that was asked for.
    package let state: [UInt8]
    /// Over stream, version, format, hash and state.
    package let mac: [UInt8]

    /// Puts an answer together.
    package init(hash: [UInt8], state: [UInt8], mac: [UInt8]) {
        self.hash = hash
        self.state = state
        self.mac = mac
    }
}
