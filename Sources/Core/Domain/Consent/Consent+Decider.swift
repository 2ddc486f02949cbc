extension Consent: Aggregate {
    package static var kind: AggregateKind { .consent }
    package static var initial: State { .absent }

    package static func decide(_ command: Command, in state: State) throws(Rejection) -> [Event] {
        switch (command, state) {
        case (.give(let client, let scope), .absent), (.give(let client, let scope), .withdrawn):
            return [.given(client, scope)]
        case (.give(let client, let scope), .given(_, let before)):
            return scope.isSubset(of: before) ? [] : [.given(client, before.union(scope))]

        case (.withdraw(let who), .given(let client, _)): return [.withdrawn(client, by: who)]
        case (.withdraw, .withdrawn): return []
        case (.withdraw, .absent): throw .notGiven
        }
    }

    package static func evolve(_ state: State, by event: Event) -> State? {
        switch (event, state) {
        case (.given(let client, let scope), .absent), (.given(let client, let scope), .withdrawn):
            .given(client, scope)
        case (.given(let client, let scope), .given(_, let before)):
            before.isSubset(of: scope) ? .given(client, scope) : nil
        case (.withdrawn, .given): .withdrawn
        case (.withdrawn, .absent), (.withdrawn, .withdrawn): nil
        }
    }

    package static func wrap(_ event: Event) -> DomainEvent { .consent(event) }

    package static func unwrap(_ event: DomainEvent) -> Event? {
        guard case .consent(let own) = event else { return nil }
        return own
    }
}
