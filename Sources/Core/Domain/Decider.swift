/// A pure aggregate: `decide` says what happens, `evolve` says what it means.
///
/// Neither reads a clock, draws randomness or performs I/O: what they need is in the command.
package protocol Decider: SendableMetatype {
    associatedtype State: Sendable
    associatedtype Command: Sendable
    associatedtype Event: Sendable
    associatedtype Rejection: Error

    static var initial: State { get }

    /// The events that follow from a command; `[]` when it is already true.
    static func decide(_ command: Command, in state: State) throws(Rejection) -> [Event]

    /// The state after an event; nil when the event cannot follow, i.e. the stream is damaged.
    static func evolve(_ state: State, by event: Event) -> State?
}
