extension PreAuthenticatedURL: Aggregate {
    package static var kind: AggregateKind { .preAuthenticatedURL }
    package static var initial: State { .absent }

    package static func decide(_ command: Command, in state: State) throws(Rejection) -> [Event] {
        switch (command, state) {
        case (.issue(var ticket), .absent):
            ticket.expiresAt = ticket.expiresAt.wholeMilliseconds
            return [.issued(ticket)]
        case (.issue, .issued), (.issue, .consumed): throw .alreadyIssued

        case (.open(let opening), .issued(let ticket)):
            // Secret first: who merely knows the id learns nothing and changes nothing.
            guard opening.secret == ticket.secret else { throw .unknown }
            guard opening.client == ticket.client else { throw .otherClient }
            guard opening.session == ticket.session else { throw .otherSession }
            guard opening.at < ticket.expiresAt else { throw .expired }
            return [
                .consumed(opening.token, expiresAt: opening.tokenExpiresAt.wholeMilliseconds)
            ]
        case (.open, .consumed): throw .consumed
        case (.open, .absent): throw .unknown
        }
    }

    package static func evolve(_ state: State, by event: Event) -> State? {
        switch (event, state) {
        case (.issued(let ticket), .absent): .issued(ticket)
        case (.consumed, .issued): .consumed
        case (.issued, _), (.consumed, _): nil
        }
    }

    package static func wrap(_ event: Event) -> DomainEvent { .preAuthenticatedURL(event) }

    package static func unwrap(_ event: DomainEvent) -> Event? {
        guard case .preAuthenticatedURL(let own) = event else { return nil }
        return own
    }
}
