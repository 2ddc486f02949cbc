/// A pure aggregate: `decide` says what happens, `evolve` says what it means.
///
/// Neither reads a clock, draws randomness or performs I/O: what they need is in the command.
package protocol Decider: SendableMetatype {
    associatedtype State: Sendable
    associatedtype Command: Sendable
    associatedtype Event: Sendable
    associatedtype Rejection: Error

    static var initial: State { get }

    /// The events that follow from a command; `[]` when it is already true (style.md rule 7).
    static func decide(_ command: Command, in state: State) throws(Rejection) -> [Event]

    /// The state after an event; nil when the event cannot follow, i.e. the stream is damaged.
    static func evolve(_ state: State, by event: Event) -> State?
}

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
