extension LoginID: Aggregate {
    package static var kind: AggregateKind { .loginID }
    package static var initial: State { .free }

    package static func decide(_ command: Command, in state: State) throws(Rejection) -> [Event] {
        switch (command, state) {
        case (.claim(let subject, let kind, let value), .free):
            return [.claimed(by: subject, kind: kind, value: value)]
        case (.claim(let subject, _, _), .claimed(let owner)):
            guard subject == owner else { throw .taken }
            return []

        case (.release(let subject, let reason), .claimed(let owner)):
            guard subject == owner else { throw .notTheirs }
            return [.released(by: subject, reason)]
        case (.release, .free): return []
        }
    }

    package static func evolve(_ state: State, by event: Event) -> State? {
        switch (event, state) {
        case (.claimed(let subject, _, _), .free): .claimed(by: subject)
        case (.released(let subject, _), .claimed(let owner)): subject == owner ? .free : nil
        case (.claimed, .claimed), (.released, .free): nil
        }
    }

    package static func wrap(_ event: Event) -> DomainEvent { .loginID(event) }

    package static func unwrap(_ event: DomainEvent) -> Event? {
        guard case .loginID(let own) = event else { return nil }
        return own
    }
}
