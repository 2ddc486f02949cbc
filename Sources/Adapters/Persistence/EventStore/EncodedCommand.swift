internal import Domain
internal import EventFormat
internal import Issuing

/// A commit as rows: what an append call carries of it.
struct EncodedCommand: Sendable {
    /// One event.
    struct Row: Sendable {
        let event: StoredEvent
        /// The head the command saw, the same for all rows of a stream.
        let expected: Int32
        let hash: EventHash
    }

    let command: CommandID
    let rows: [Row]
    let guards: [StreamGuard]
    /// Streams it appends to, each once.
    let streams: [StreamID]
    let byteCount: Int

    /// What a row weighs beside payload and metadata.
    static let rowOverhead = 160

    init(command: CommandID, rows: [Row], guards: [StreamGuard], streams: [StreamID]) {
        self.command = command
        self.rows = rows
        self.guards = guards
        self.streams = streams
        byteCount = rows.reduce(0) {
            $0 + $1.event.payload.count + $1.event.metadata.count + Self.rowOverhead
        }
    }
}
