package import Domain

extension EventStore {
    /// The oldest events of a stream, 10,000 at most: for lists that people read.
    package func history(of stream: StreamID, by deadline: Deadline)
        async throws(StoreError) -> [RecordedEvent]
    {
        var history: [RecordedEvent] = []
        while history.count < 10_000 {
            let after = history.last?.version ?? 0
            let page = try await self.history(of: stream, after: after, by: deadline)
            if page.isEmpty { break }
            history += page
        }
        return history
    }

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
