package import Domain

/// The columns and metadata that all events of a command share (Events 1).
package struct EventAttributes: Hashable, Sendable {
    package var actor: Actor
    package var subject: SubjectID?
    package var client: ClientID?
    package var session: SessionID?
    /// Why an operator did it, at most 200 bytes.
    package var reason: String?
    /// The request this belongs to.
    package var correlation: Correlation?
    /// What an earlier command recorded, and this one follows from.
    package var cause: Cause?
    /// Whose sealing key the payload's sealed members are under.
    package var seal: StreamID?

    /// Who gave the command.
    package enum Actor: Hashable, Sendable {
        case subject(SubjectID)
        case client(ClientID)
        case `operator`(name: String)
        case system
    }

    package init(actor: Actor, correlation: Correlation? = nil) {
        self.actor = actor
        self.correlation = correlation
    }
}
