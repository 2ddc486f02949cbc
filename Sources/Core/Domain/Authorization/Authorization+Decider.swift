extension Authorization: Aggregate {
    package static var kind: AggregateKind { .authorization }
    package static var initial: State { .absent }

    package static func decide(_ command: Command, in state: State) throws(Rejection) -> [Event] {
        switch command {
        case .push(var request, let secret):
            guard case .absent = state else { throw .alreadyStarted }
            request.expiresAt = request.expiresAt.wholeMilliseconds
            return [.pushed(request, secret: secret)]

        case .take(var request, let secret, let browser, let now):
            guard case .pushed(let pushed, let reference) = state else {
                throw state == .absent ? .unknown : .alreadyStarted
            }
            guard reference.secret == secret, request.client == pushed.client else {
                throw .unknown
            }
            guard now < reference.expiresAt else { throw .expired }
            request.expiresAt = request.expiresAt.wholeMilliseconds
            return [.started(request, browser: browser)]

        case .start(var request, let browser):
            guard case .absent = state else { throw .alreadyStarted }
            request.expiresAt = request.expiresAt.wholeMilliseconds
            return [.started(request, browser: browser)]

        case .requestLogin(let link, let browser, let now):
            let started = try open(state, for: browser, at: now)
            guard case .started = state else { throw .ended }
            return started.loginLink == link ? [] : [.loginRequested(link)]

        case .authenticate(let login, let browser, let now):
            let started = try open(state, for: browser, at: now)
            if case .authenticated(_, let known) = state {
                guard login == known else { throw .ended }
                return []
            }
            if let expected = started.request.expectedSubject, expected != login.subject {
                throw .otherSubject
            }
            return [.authenticated(login)]

        case .complete(let code, let scope, let browser, let now):
            let started = try open(state, for: browser, at: now)
            guard case .authenticated = state else { throw .notAuthenticated }
            guard scope.isSubset(of: started.request.scope) else { throw .scope }
            return [.completed(code: code, scope: scope)]

        case .fail(let failure, let browser):
            _ = try open(state, for: browser, at: nil)
            return [.failed(failure)]
        }
    }

    /// The request while it can still go on, for its own browser; `now` nil: however old it is.
    private static func open(
        _ state: State,
        for browser: TokenDigest,
        at now: Instant?
    ) throws(Rejection) -> Started {
        switch state {
        case .absent, .pushed: throw .unknown
        case .completed, .failed: throw .ended
        case .started(let started), .authenticated(let started, _):
            guard browser == started.browser else { throw .otherBrowser }
            if let now, now >= started.request.expiresAt { throw .expired }
            return started
        }
    }

    package static func evolve(_ state: State, by event: Event) -> State? {
        switch (event, state) {
        case (.pushed(let request, let secret), .absent):
            return .pushed(request, Reference(secret: secret, expiresAt: request.expiresAt))
        case (.started(let request, let browser), .absent):
            return .started(Started(request: request, browser: browser))
        case (.started(let request, let browser), .pushed(_, let reference)):
            return .started(Started(request: request, browser: browser, reference: reference))
        case (.loginRequested(let link), .started(var started)):
            started.loginLink = link
            return .started(started)
        case (.authenticated(let login), .started(let started)):
            return .authenticated(started, login)
        case (.completed(let code, _), .authenticated(let started, let login)):
            return .completed(started, login, code: code)
        case (.failed(let failure), .started(let started)),
            (.failed(let failure), .authenticated(let started, _)):
            return .failed(started, failure)
        case (.pushed, _), (.started, _), (.loginRequested, _), (.authenticated, _),
            (.completed, _), (.failed, _):
            return nil
        }
    }

    package static func wrap(_ event: Event) -> DomainEvent { .authorization(event) }

    package static func unwrap(_ event: DomainEvent) -> Event? {
        guard case .authorization(let own) = event else { return nil }
        return own
    }
}
