extension ProjectConfig: Aggregate {
    package static var kind: AggregateKind { .projectConfig }
    package static var initial: State { .absent }

    package static func decide(_ command: Command, in state: State) throws(Rejection) -> [Event] {
        switch (command, state) {
        case (.apply(let new, let expected, let changed, _, _), .absent):
            guard expected == nil else { throw .unknown }
            return [.applied(new, changed: canonical(changed))]
        case (.apply(let new, let expected, let changed, let added, let gone), .applied(let old)),
            (.apply(let new, let expected, let changed, let added, let gone), .suspended(let old)):
            guard new.id == old.id else { throw .otherProject }
            if new.digest == old.digest { return [] }
            guard let expected else { throw .alreadyExists }
            guard expected == old.digest else { throw .changedMeanwhile }
            return [.applied(new, changed: canonical(changed), added: added, cascaded: gone)]

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
        case (.applied(let new, _, nil, nil), .absent): .applied(new)
        case (.applied, .absent): nil
        case (.applied(let new, _, let added, let gone), .applied(let old)):
            new.following(old, added, gone).map { .applied($0) }
        case (.applied(let new, _, let added, let gone), .suspended(let old)):
            new.following(old, added, gone).map { .suspended($0) }
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

extension ProjectConfig.Applied {
    /// What is in force once this document has replaced `old`; nil when it is another project's.
    fileprivate func following(
        _ old: Self,
        _ added: ProjectConfig.Difference?,
        _ cascaded: ProjectConfig.Difference?
    ) -> Self? {
        guard id == old.id else { return nil }
        var new = self
        new.clientsSince = old.clientsSince
        new.cascadedAt = old.cascadedAt
        if let added {
            for client in added.clients { new.clientsSince[client] = added.at }
        }
        if let cascaded {
            for client in cascaded.clients { new.cascadedAt[client] = cascaded.at }
        }
        return new
    }
}
