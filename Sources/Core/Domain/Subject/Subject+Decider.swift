extension Subject: Aggregate {
    package static var kind: AggregateKind { .subject }
    package static var initial: State { .absent }

    package static func decide(_ command: Command, in state: State) throws(Rejection) -> [Event] {
        switch (command, state) {
        case (.register(let source, let email, let verified, let at), .absent):
            return [.registered(source: source, email: email, emailVerified: verified, at: at)]
        case (.register, .active), (.register, .disabled), (.register, .erased):
            throw .alreadyRegistered

        case (.disable(let reason), .active): return [.disabled(reason)]
        case (.disable, .disabled): return []

        case (.enable(let at), .disabled): return [.enabled(at: at)]
        case (.enable, .active): return []

        case (.erase, .active), (.erase, .disabled): return [.erased]
        case (.erase, .erased): return []

        case (.disable, .absent), (.enable, .absent), (.erase, .absent): throw .unknown
        case (.disable, .erased), (.enable, .erased): throw .erased
        }
    }

    package static func evolve(_ state: State, by event: Event) -> State? {
        switch (event, state) {
        case (.registered(_, let email, let verified, let at), .absent):
            .active(
                Shared(
                    Profile(email: email, emailVerified: verified, registeredAt: at, updatedAt: at)
                )
            )
        case (.disabled, .active(let shared)): .disabled(shared)
        case (.enabled(let at), .disabled(let shared)):
            .active(Shared(shared.value.enabled(at: at)))
        case (.erased, .active), (.erased, .disabled): .erased
        case (.registered, _), (.disabled, _), (.enabled, _), (.erased, _): nil
        }
    }

    package static func wrap(_ event: Event) -> DomainEvent { .subject(event) }

    package static func unwrap(_ event: DomainEvent) -> Event? {
        guard case .subject(let own) = event else { return nil }
        return own
    }
}

extension Subject.Profile {
    fileprivate func enabled(at instant: Instant) -> Self {
        var profile = self
        profile.enabledAt = instant
        return profile
    }
}

extension Subject.State {
    /// Whether there is such a user, neither disabled nor erased.
    package var isActive: Bool { if case .active = self { true } else { false } }

    /// Whether a login link that was requested at `instant` may still log this user in: not while
    /// they are disabled, and not one of before they were enabled (WireContract 9.7).
    package func honours(linkRequestedAt instant: Instant) -> Bool {
        guard case .active(let shared) = self else { return false }
        return shared.value.enabledAt.map { $0 < instant } ?? true
    }

    /// Whether a login of `instant`, in whole milliseconds, may still be gone on with: not while
    /// they are disabled, and not one of before they were enabled (WireContract 9.7).
    package func honours(loginAt instant: Instant) -> Bool {
        guard case .active(let shared) = self else { return false }
        return shared.value.enabledAt.map { $0.wholeMilliseconds <= instant } ?? true
    }
}
