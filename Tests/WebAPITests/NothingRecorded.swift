import Domain
import InMemory
import Issuing
import TestSupport
import Testing

extension WebSide {
    /// What `request` gives back; the log must be as it was before it.
    ///
    /// What records by itself, such as a code that is issued for the request, is made outside.
    @discardableResult
    func expectNothingRecorded<Value>(
        _ what: String = "",
        sourceLocation: SourceLocation = #_sourceLocation,
        by request: () async throws -> Value
    ) async throws -> Value {
        let before = commits
        let value = try await request()
        let recorded = newestEvents(after: before)
        #expect(recorded.isEmpty, "\(what): \(recorded)", sourceLocation: sourceLocation)
        return value
    }

    /// The events of every commit but the first `count`.
    func newestEvents(after count: Int) -> [DomainEvent] {
        side.store.commits.dropFirst(count).flatMap { $0.streams.flatMap(\.events) }
    }
}
