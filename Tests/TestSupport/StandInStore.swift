package import Domain
package import InMemory
package import Issuing

/// A store in front of a log that says for itself how it loads, and leaves all else to the log.
package protocol StandInStore: ForwardingEventStore {
    var log: InMemoryEventStore { get }
}

extension StandInStore {
    package var base: any EventStore { log }

    /// Nothing: what the log remembers would go round how this one loads.
    package func remembered(_ stream: StreamID) -> RememberedState? { nil }
}
