package import Domain
package import EventFormat

/// A row of `es.events` as a fold needs it.
package struct StreamRow: Sendable {
    package let stream: StreamID
    package let version: Int32
    package let type: Int16
    package let project: Int16
    package let columns: StoredColumns
    package let hash: [UInt8]
    package let payload: [UInt8]
    /// The stream's state after this event, when one was kept and wanted.
    package var snapshot: StoredSnapshot?

    /// Puts a row together.
    package init(
        stream: StreamID,
        version: Int32,
        type: Int16,
        project: Int16,
        columns: StoredColumns,
        hash: [UInt8],
        payload: [UInt8]
    ) {
        self.stream = stream
        self.version = version
        self.type = type
        self.project = project
        self.columns = columns
        self.hash = hash
        self.payload = payload
    }
}
