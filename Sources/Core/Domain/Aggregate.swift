/// A decider whose events are one case of `DomainEvent`, so that a store can keep them.
package protocol Aggregate: Decider {
    static var kind: AggregateKind { get }

    static func wrap(_ event: Event) -> DomainEvent

    /// Nil when the event belongs to another aggregate, i.e. the stream is damaged.
    static func unwrap(_ event: DomainEvent) -> Event?
}

extension Aggregate {
    /// Folds a history; nil when some event cannot follow its predecessors.
    package static func fold(_ history: some Sequence<Event>, from start: State? = nil) -> State? {
        var state = start ?? initial
        for event in history {
            guard let next = evolve(state, by: event) else { return nil }
            state = next
        }
        return state
    }
}
