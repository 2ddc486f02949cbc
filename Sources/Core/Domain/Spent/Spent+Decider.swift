extension Spent: Aggregate {
    package static var kind: AggregateKind { .spent }
    package static var initial: State { .unspent }

    package static func decide(_ command: Command, in state: State) throws(Rejection) -> [Event] {
        switch (command, state) {
        case (.spend(let purpose, let expiresAt), .unspent):
            return [.spent(purpose, expiresAt: expiresAt.wholeMilliseconds)]
        case (.spend, .spent): throw .alreadySpent
        }
    }

    package static func evolve(_ state: State, by event: Event) -> State? {
        switch (event, state) {
        case (.spent, .unspent): .spent
        case (.spent, .spent): nil
        }
    }

    package static func wrap(_ event: Event) -> DomainEvent { .spent(event) }

    package static func unwrap(_ event: DomainEvent) -> Event? {
        guard case .spent(let own) = event else { return nil }
        return own
    }
}
