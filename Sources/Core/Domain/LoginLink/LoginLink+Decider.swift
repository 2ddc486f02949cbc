extension LoginLink: Aggregate {
    package static var kind: AggregateKind { .loginLink }
    package static var initial: State { .absent }

    package static func decide(_ command: Command, in state: State) throws(Rejection) -> [Event] {
        switch command {
        case .request(var request):
            guard case .absent = state else { throw .alreadyRequested }
            request.expiresAt = request.expiresAt.wholeMilliseconds
            return [.requested(request)]
        case .recordMailSent(let generation, let attempt):
            try requireGeneration(generation, in: state)
            return [.mailSent(generation: generation, attempt: attempt)]
        case .recordMailFailed(let generation, let attempt, let code, let final):
            try requireGeneration(generation, in: state)
            return [
                .mailFailed(generation: generation, attempt: attempt, code: code, final: final)
            ]
        case .approve(let approver, let sameDevice, let generation, let number, let now):
            return try approve(
                in: state,
                by: approver,
                sameDevice: sameDevice,
                generation: generation,
                number: number,
                at: now
            )
        case .deny(let reason, let generation, let now):
            return try deny(reason, generation: generation, at: now, in: state)
        case .supersede(let newer):
            return try supersede(by: newer, in: state)
        case .consume(let initiator, let now):
            return try consume(initiator: initiator, at: now, in: state)
        }
    }

    private static func approve(
        in state: State,
        by approver: Approver,
        sameDevice: Bool,
        generation: Int32,
        number: Int?,
        at now: Instant
    ) throws(Rejection) -> [Event] {
        switch state {
        case .absent: throw .unknown
        case .denied, .superseded: throw .ended
        case .approved(let request), .consumed(let request):
            // The app asks again after a lost answer: the same link within its life says yes.
            try requireAlive(request, generation: generation, at: now)
            return []
        case .requested(let request):
            try requireAlive(request, generation: generation, at: now)
            if !sameDevice {
                switch request.mode {
                case .automatic: break
                case .deny: throw .crossDevice
                case .confirm:
                    guard let number else { throw .numberRequired }
                    guard number == request.number else { return [.denied(.numberMismatch)] }
                }
            }
            return [.approved(by: approver, sameDevice: sameDevice, generation: generation)]
        }
    }

    private static func deny(
        _ reason: DenyReason,
        generation: Int32,
        at now: Instant,
        in state: State
    ) throws(Rejection) -> [Event] {
        switch state {
        case .absent: throw .unknown
        case .denied: return []
        case .approved, .consumed, .superseded: throw .ended
        case .requested(let request):
            try requireAlive(request, generation: generation, at: now)
            return [.denied(reason)]
        }
    }

    private static func supersede(
        by newer: StreamID,
        in state: State
    ) throws(Rejection) -> [Event] {
        switch state {
        case .absent: throw .unknown
        case .requested: return [.superseded(by: newer)]
        case .approved, .consumed, .denied, .superseded: return []
        }
    }

    private static func consume(
        initiator: TokenDigest,
        at now: Instant,
        in state: State
    ) throws(Rejection) -> [Event] {
        guard let request = state.request else { throw .unknown }
        // Initiator first: who merely knows the id does not learn how far it is.
        guard initiator == request.initiator else { throw .otherInitiator }
        switch state {
        case .absent: throw .unknown
        case .consumed, .denied, .superseded: throw .ended
        case .requested:
            guard now < request.expiresAt else { throw .expired }
            throw .pending
        case .approved:
            // An approval does not outlive its link (Security I8).
            guard now < request.expiresAt else { throw .expired }
            return [.consumed(authorization: request.authorization)]
        }
    }

    private static func requireAlive(
        _ request: Request,
        generation: Int32,
        at now: Instant
    ) throws(Rejection) {
        guard generation == request.generation else { throw .oldGeneration }
        guard now < request.expiresAt else { throw .expired }
    }

    /// A mail that went out is a fact whatever became of the link meanwhile.
    private static func requireGeneration(
        _ generation: Int32,
        in state: State
    ) throws(Rejection) {
        guard let request = state.request, 1...request.generation ~= generation else {
            throw .unknown
        }
    }

    package static func evolve(_ state: State, by event: Event) -> State? {
        switch (event, state) {
        case (.requested(let request), .absent):
            return request.generation == 1 ? .requested(request) : nil
        case (.resent(let generation, let at), .requested(var request)):
            guard request.generation < .max, generation == request.generation + 1 else {
                return nil
            }
            request.generation = generation
            request.resentAt = at
            request.isMailed = false
            return .requested(request)
        case (.mailSent(let generation, _), _):
            guard var request = state.request, generation <= request.generation else { return nil }
            // Of one that is no longer open no further mail goes out.
            guard case .requested = state, generation == request.generation else { return state }
            request.isMailed = true
            return .requested(request)
        case (.mailFailed(let generation, _, _, _), _):
            guard let request = state.request, generation <= request.generation else { return nil }
            return state
        case (.approved(let approver, let sameDevice, let generation), .requested(var request)):
            guard generation == request.generation else { return nil }
            request.approved(by: approver, sameDevice: sameDevice)
            return .approved(request)
        case (.denied(let reason), .requested(let request)): return .denied(request, reason)
        case (.superseded, .requested(let request)): return .superseded(request)
        case (.consumed(let authorization), .approved(let request)):
            return authorization == request.authorization ? .consumed(request) : nil
        case (.requested, _), (.resent, _), (.approved, _), (.denied, _), (.superseded, _),
            (.consumed, _):
            return nil
        }
    }

    package static func wrap(_ event: Event) -> DomainEvent { .loginLink(event) }

    package static func unwrap(_ event: DomainEvent) -> Event? {
        guard case .loginLink(let own) = event else { return nil }
        return own
    }
}

extension LoginLink.State {
    /// Whether it has logged its user in.
    package var isConsumed: Bool { if case .consumed = self { true } else { false } }

    /// What was requested, whatever became of it; nil when nothing was.
    package var request: LoginLink.Request? {
        switch self {
        case .absent: nil
        case .requested(let request), .approved(let request), .consumed(let request),
            .denied(let request, _), .superseded(let request):
            request
        }
    }
}
