extension ProjectConfig: Aggregate {
    package static var kind: AggregateKind { .projectConfig }
    package static var initial: State { .absent }

    package static func decide(_ command: Command, in state: State) throws(Rejection) -> [Event] {
        switch (command, state) {
        case (.apply(let new, let expected, let changed), .absent):
            guard expected == nil else { throw .unknown }
            return [.applied(new, changed: canonical(changed))]
        case (.apply(let new, let expected, let changed), .applied(let old)),
            (.apply(let new, let expected, let changed), .suspended(let old)):
            guard new.id == old.id else { throw .otherProject }
            if new.digest == old.digest { return [] }
            guard let expected else { throw .alreadyExists }
            guard expected == old.digest else { throw .changedMeanwhile }
            return [.applied(new, changed: canonical(changed))]

        case (.suspend(let reason), .applied): return [.suspended(reason: reason)]
        case (.suspend, .suspended): return []

        case (.resume, .suspended): return [.resumed]
        case (.resume, .applied): return []

        case (.suspend, .absent), (.resume, .absent): throw .unknown
        }
    }

    /// Sorted by bytes, without repeats.
    private static func canonical(_ paths: [String]) -> [String] {
        Set(paths).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    package static func evolve(_ state: State, by event: Event) -> State? {
        switch (event, state) {
        case (.applied(let new, _), .absent): .applied(new)
        case (.applied(let new, _), .applied(let old)): new.id == old.id ? .applied(new) : nil
        case (.applied(let new, _), .suspended(let old)): new.id == old.id ? .suspended(new) : nil
        case (.suspended, .applied(let applied)): .suspended(applied)
        case (.resumed, .suspended(let applied)): .applied(applied)
        case (.suspended, _), (.resumed, _): nil
        }
    }

    package static func wrap(_ event: Event) -> DomainEvent { .projectConfig(event) }

    package static func unwrap(_ event: DomainEvent) -> Event? {
        guard case .projectConfig(let own) = event else { return nil }
        return own
    }
}
