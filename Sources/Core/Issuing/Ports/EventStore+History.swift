package import Domain

extension EventStore {
    /// Goes through all events of a stream behind a version, oldest first, however many there are,
    /// until `body` says false.
    package func eachEvent(
        of stream: StreamID,
        after version: Int32 = 0,
        by deadline: Deadline,
        _ body: (RecordedEvent) async throws(StoreError) -> Bool
    ) async throws(StoreError) {
        var last = version
        while true {
            let page = try await history(of: stream, after: last, by: deadline)
            guard let end = page.last?.version else { return }
            for event in page where try await !body(event) { return }
            last = end
        }
    }
}
