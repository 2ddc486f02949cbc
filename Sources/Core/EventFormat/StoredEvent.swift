package import Domain

/// A row of the log but for what PostgreSQL adds (Events 1).
package struct StoredEvent: Hashable, Sendable {
    package static let payloadBytesMax = 16 * 1024
    package static let projectConfigPayloadBytesMax = 256 * 1024
    package static let metadataBytesMax = 2 * 1024

    package var project: ProjectNumber
    package var stream: StreamID
    /// 1, 2, 3 … without gaps.
    package var version: Int32
    /// Raw value of a `StoredType`, if this version knows it.
    package var type: Int16
    package var command: CommandID
    /// Subject, client key or operator; nil: the system.
    package var actor: StreamID?
    package var columns: StoredColumns
    /// Canonical JSON.
    package var payload: [UInt8]
    /// Canonical JSON.
    package var metadata: [UInt8]

    package init(
        project: ProjectNumber,
        stream: StreamID,
        version: Int32,
        type: Int16,
        command: CommandID,
        actor: StreamID?,
        columns: StoredColumns,
        payload: [UInt8],
        metadata: [UInt8]
    ) {
        self.project = project
        self.stream = stream
        self.version = version
        self.type = type
        self.command = command
        self.actor = actor
        self.columns = columns
        self.payload = payload
        self.metadata = metadata
    }
}
