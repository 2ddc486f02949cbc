package import Domain
package import Issuing

/// Where the projects of an `InMemoryEventStore` begin.
package struct InMemoryProjectOrigins: ProjectOrigins {
    private let store: InMemoryEventStore

    package init(_ store: InMemoryEventStore) { self.store = store }

    package func firstProjects(by deadline: Deadline) async throws(StoreError) -> [StreamID] {
        store.allEvents.filter {
            guard case .projectConfig = $0.body else { return false }
            return $0.project == .first && $0.version == 1
        }.map(\.stream)
    }
}
