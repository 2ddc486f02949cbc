extension BiometricKey: Aggregate {
    package static var kind: AggregateKind { .biometricKey }
    package static var initial: State { .absent }

    package static func decide(_ command: Command, in state: State) throws(Rejection) -> [Event] {
        switch (command, state) {
        case (.enable(let registration), .absent): return [.enabled(registration)]
        case (.claim(let kid), .absent): return [.materialClaimed(kid: kid)]
        case (.enable, _), (.claim, _): throw .taken

        case (.use(let action, let client, let session, let now), .enabled(let shared)):
            guard client == shared.value.client else { throw .otherClient }
            if let end = shared.value.pauseEnd(at: now) { throw .paused(until: end) }
            return [.used(action, session: session, at: now)]
        case (.recordFailure(let now), .enabled(let shared)):
            if let end = shared.value.pauseEnd(at: now) { throw .paused(until: end) }
            let recent = shared.value.recentFailures(at: now).count
            return [.verificationFailed(count: Int64(recent + 1), at: now)]
        case (.disable(let reason), .enabled): return [.disabled(reason)]
        case (.disable, .disabled): return []

        case (.use, .disabled), (.recordFailure, .disabled): throw .disabled
        case (.use, .absent), (.recordFailure, .absent), (.disable, .absent),
            (.use, .claimed), (.recordFailure, .claimed), (.disable, .claimed):
            throw .unknown
        }
    }

    package static func evolve(_ state: State, by event: Event) -> State? {
        switch (event, state) {
        case (.enabled(let registration), .absent): return .enabled(Shared(registration))
        case (.materialClaimed(let kid), .absent): return .claimed(kid: kid)
        case (.used(_, let session, let at), .enabled(let shared)):
            var key = shared.value
            key.session = session
            key.lastUsedAt = at
            key.failures = []
            return .enabled(Shared(key))
        case (.verificationFailed(_, let at), .enabled(let shared)):
            var key = shared.value
            key.failures.append(at)
            let excess = key.failures.count - failuresMax
            if excess > 0 { key.failures.removeFirst(excess) }
            return .enabled(Shared(key))
        case (.disabled, .enabled(let shared)): return .disabled(shared)
        case (.enabled, _), (.materialClaimed, _), (.used, _), (.verificationFailed, _),
            (.disabled, _):
            return nil
        }
    }

    package static func wrap(_ event: Event) -> DomainEvent { .biometricKey(event) }

    package static func unwrap(_ event: DomainEvent) -> Event? {
        guard case .biometricKey(let own) = event else { return nil }
        return own
    }
}

extension BiometricKey.State {
    /// The key as it was set up, also of one that is disabled; nil when there never was one.
    package var registration: BiometricKey.Registration? {
        switch self {
        case .absent, .claimed: nil
        case .enabled(let shared), .disabled(let shared): shared.value
        }
    }
}

extension BiometricKey.Registration {
    func recentFailures(at now: Instant) -> [Instant] {
        let start = now.adding(seconds: -BiometricKey.windowSeconds)
        return failures.filter { start < $0 }
    }

    /// When it may be tried again; nil: now.
    package func pauseEnd(at now: Instant) -> Instant? {
        guard failures.count >= BiometricKey.failuresMax, let first = failures.first,
            let last = failures.last, last < first.adding(seconds: BiometricKey.windowSeconds)
        else { return nil }
        let end = last.adding(seconds: BiometricKey.windowSeconds)
        return now < end ? end : nil
    }
}
