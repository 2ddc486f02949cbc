import Domain
import InMemory
import Issuing
import TestSupport

/// A log whose server may yet be lost with what it shows.
struct UnconfirmedStore: StandInStore {
    let log: InMemoryEventStore

    func confirm(by deadline: Deadline) async throws(StoreError) { throw .unavailable }
}
