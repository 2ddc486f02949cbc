package import Domain

/// Who changed a stream, and why: the part of an event's metadata that operators ask for.
package protocol ChangeLog: Sendable {
    /// The newest changes of a stream, newest first, at most `limit`.
    func changes(of stream: StreamID, limit: Int, by deadline: Deadline)
        async throws(StoreError) -> [OperatorChange]
}
