package import Domain

/// A stream that was opened for a subject, and where in the log.
package struct OpenedStream: Hashable, Sendable {
    package var stream: StreamID
    /// Of its first event: larger is newer.
    package var position: Int64

    package init(_ stream: StreamID, at position: Int64) {
        self.stream = stream
        self.position = position
    }
}

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

    /// Goes through all streams of one kind that were opened for `subject`, newest first, however
    /// many there are.
    package func eachStream(
        of subject: SubjectID,
        _ kind: AggregateKind,
        by deadline: Deadline,
        _ body: (StreamID) async throws(StoreError) -> Void
    ) async throws(StoreError) {
        var before: Int64?
        while true {
            let page = try await opened(
                for: subject,
                kinds: [kind],
                before: before,
                limit: Self.pageLength,
                by: deadline
            )
            for opened in page { try await body(opened.stream) }
            guard page.count == Self.pageLength, let last = page.last else { return }
            before = last.position
        }
    }
}
