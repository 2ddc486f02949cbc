extension BrowserSession: Aggregate {
    package static var kind: AggregateKind { .browserSession }
    package static var initial: State { .absent }

    package static func decide(_ command: Command, in state: State) throws(Rejection) -> [Event] {
        switch (command, state) {
        case (.open(var session), .absent):
            session.expiresAt = session.expiresAt.wholeMilliseconds
            return [.opened(session)]
        case (.open, .open), (.open, .ended): throw .alreadyOpen

        case (.reauthenticate(let how, let subject, let cookie, let now), .open(let shared)):
            guard subject == shared.value.subject else { throw .otherSubject }
            guard shared.value.isLive(at: now) else { throw .expired }
            return [.reauthenticated(how, cookie: cookie, at: now)]

        case (.see(let now), .open(let shared)):
            guard shared.value.isLive(at: now) else { throw .expired }
            return now < shared.value.seenNextAt ? [] : [.seen(at: now)]

        case (.join(let joined), .open(let shared)):
            return shared.value.joined.contains(joined) ? [] : [.clientJoined(joined)]

        case (.end(let reason), .open): return [.ended(reason)]
        case (.end, .ended): return []

        case (.reauthenticate, .absent), (.see, .absent), (.join, .absent), (.end, .absent):
            throw .unknown
        case (.reauthenticate, .ended), (.see, .ended), (.join, .ended): throw .ended
        }
    }

    package static func evolve(_ state: State, by event: Event) -> State? {
        if case (.opened(let session), .absent) = (event, state) { return .open(Shared(session)) }
        guard case .open(let shared) = state else { return nil }
        var session = shared.value
        switch event {
        case .opened: return nil
        case .cookieRotated(let cookie, _):
            session.cookie = cookie
        case .reauthenticated(let how, let cookie, let at):
            session.authentication = how
            session.cookie = cookie
            session.lastSeenAt = at
        case .seen(let at):
            session.lastSeenAt = at
        case .clientJoined(let joined):
            session.joined.append(joined)
            session.joined.removeFirst(max(0, session.joined.count - joinedMax))
        case .ended(let reason): return .ended(shared, reason)
        }
        return .open(Shared(session))
    }

    package static func wrap(_ event: Event) -> DomainEvent { .browserSession(event) }

    package static func unwrap(_ event: DomainEvent) -> Event? {
        guard case .browserSession(let own) = event else { return nil }
        return own
    }
}

extension BrowserSession.State {
    /// Whether it was opened and has not ended; it may have expired.
    package var isOpen: Bool { if case .open = self { true } else { false } }
}

extension BrowserSession.Session {
    /// Whether neither its absolute nor its idle life is over.
    package func isLive(at now: Instant) -> Bool {
        now < expiresAt && now < lastSeenAt.adding(milliseconds: idleMilliseconds)
    }

    /// From when on it is recorded again that it was seen.
    fileprivate var seenNextAt: Instant {
        let pause = max(idleMilliseconds / 20, min(3_600_000, idleMilliseconds / 2))
        return lastSeenAt.adding(milliseconds: pause)
    }
}

// From another module a method of the value would be asked of a copy.
extension Shared<BrowserSession.Session> {
    /// As the session's, without a copy of it.
    package func isLive(at now: Instant) -> Bool { value.isLive(at: now) }
}
