package import Domain

/// What was changed in a stream, by whom, and why: of an event's metadata what operators ask for.
package protocol ChangeLog: Sendable {
    /// The changes of a stream, newest first, at most `limit`; those before the version `end`, or
    /// all of them.
    func changes(of stream: StreamID, before end: Int32?, limit: Int, by deadline: Deadline)
        async throws(StoreError) -> [OperatorChange]
}
