package import Domain

/// An event store that also tells this process which streams it has moved, so that a page waiting
/// on the same node need not wait for the log's way round through Kafka; and that notes, for the
/// commits that keep it, where they came from.
///
/// A class, since every command copies its store.
package final class AnnouncingEventStore: ForwardingEventStore {
    package let base: any EventStore
    private let contexts: any ContextLog
    private let announce: @Sendable (StreamID) -> Void

    package init(
        _ base: any EventStore,
        contexts: any ContextLog,
        announce: @escaping @Sendable (StreamID) -> Void
    ) {
        self.base = base
        self.contexts = contexts
        self.announce = announce
    }

    package func append(_ commit: Commit, by deadline: Deadline) async throws(StoreError) {
        try await base.append(commit, by: deadline)
        announceMoved(.loginLink, in: commit)
        announceMoved(.authorization, in: commit)
        if let context = commit.context { contexts.record(context) }
    }

    private func announceMoved(_ kind: AggregateKind, in commit: Commit) {
        // By places: a loop over the elements counts references to all that is in each.
        let streams = commit.streams.span
        for place in streams.indices where streams[place].kind == kind {
            announce(streams[place].stream)
        }
    }
}
