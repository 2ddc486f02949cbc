package import Domain

extension EventStore {
    /// Streams asked for at once by `eachStream`.
    package static var pageLength: Int { 500 }

    /// The newest of the streams that were opened for `subject`, newest first.
    package func streams(
        of subject: SubjectID,
        kinds: Set<AggregateKind>,
        limit: Int,
        by deadline: Deadline
    ) async throws(StoreError) -> [StreamID] {
        try await opened(for: subject, kinds: kinds, before: nil, limit: limit, by: deadline)
            .map(\.stream)
    }

    /// Goes through all streams of these kinds that were opened for `subject`, newest first,
    /// however many there are, until `body` says false.
    package func eachStream(
        of subject: SubjectID,
        _ kinds: Set<AggregateKind>,
        by deadline: Deadline,
        _ body: (OpenedStream) async throws(StoreError) -> Bool
    ) async throws(StoreError) {
        try await eachPage(of: subject, kinds, by: deadline) {
            (page: [OpenedStream]) async throws(StoreError) in
            for opened in page where try await !body(opened) { return false }
            return true
        }
    }

    /// As above, `length` at once.
    package func eachPage(
        of subject: SubjectID,
        _ kinds: Set<AggregateKind>,
        length: Int = Self.pageLength,
        by deadline: Deadline,
        _ body: ([OpenedStream]) async throws(StoreError) -> Bool
    ) async throws(StoreError) {
        var before: Int64?
        while true {
            let page = try await opened(
                for: subject,
                kinds: kinds,
                before: before,
                limit: length,
                by: deadline
            )
            guard try await body(page), page.count == length, let last = page.last else { return }
            before = last.position
        }
    }
}
