package import Domain
package import EventFormat
package import Issuing

/// A commit as rows: what an append call carries of it.
package struct EncodedCommand: Sendable {
    /// One event.
    package struct Row: Sendable {
        /// Its columns and bytes.
        package let event: StoredEvent
        /// The head the command saw, the same for all rows of a stream.
        package let expected: Int32
        /// Of the event and all before it.
        package let hash: EventHash
    }

    /// Under which all of it is found again.
    package let command: CommandID
    /// Rows of a stream stand together, versions ascend.
    package let rows: [Row]
    /// Streams that must not have moved.
    package let guards: [StreamGuard]
    /// Streams it appends to, each once.
    package let streams: [StreamID]
    let byteCount: Int

    /// What a row weighs beside payload and metadata.
    static let rowOverhead = 160

    init(command: CommandID, rows: [Row], guards: [StreamGuard], streams: [StreamID]) {
        self.command = command
        self.rows = rows
        self.guards = guards
        self.streams = streams
        // By places, as in `EventEncoder`.
        let all = rows.span
        byteCount = all.indices.reduce(0) {
            $0 + all[$1].event.payload.count + all[$1].event.metadata.count + Self.rowOverhead
        }
    }
}
