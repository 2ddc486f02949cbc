extension AuthorizationCode: Aggregate {
    package static var kind: AggregateKind { .authorizationCode }
    package static var initial: State { .absent }

    package static func decide(_ command: Command, in state: State) throws(Rejection) -> [Event] {
        switch command {
        case .issue(var ticket):
            guard case .absent = state else { throw .alreadyIssued }
            ticket.expiresAt = ticket.expiresAt.wholeMilliseconds
            return [.issued(ticket)]

        case .redeem(let presented, let grant, let family, let token):
            switch state {
            case .absent: throw .unknown
            case .redeemed(let shared, let redemption), .replayed(let shared, let redemption):
                try prove(presented, for: shared.value)
                throw .redeemed(redemption)
            case .issued(let shared):
                try prove(presented, for: shared.value)
                guard presented.at < shared.value.expiresAt else { throw .expired }
                if let key = shared.value.dpopKey, key != presented.dpopKey { throw .otherKey }
                let redemption = Redemption(
                    grant: grant,
                    family: family,
                    token: token,
                    at: presented.at
                )
                return [.redeemed(redemption)]
            }

        case .recordReplay(let presented, let used):
            switch state {
            case .absent: throw .unknown
            case .issued(let shared), .replayed(let shared, _):
                try prove(presented, for: shared.value)
                return []
            case .redeemed(let shared, let redemption):
                try prove(presented, for: shared.value)
                // Without its key the code is worth nothing: who has only read it ends nothing.
                if let key = shared.value.dpopKey, key != presented.dpopKey { return [] }
                let after = presented.at.millisecondsSince(redemption.at)
                guard used || after > replayGraceMilliseconds else { return [] }
                return [.replayed(afterMilliseconds: after, revoked: true)]
            }
        }
    }

    /// What every use must prove, reuse included: whoever only saw the code changes nothing.
    private static func prove(
        _ presented: Presentation,
        for ticket: Ticket
    ) throws(Rejection) {
        // Secret first: who merely knows the id learns nothing.
        guard presented.secret == ticket.secret else { throw .unknown }
        guard presented.client == ticket.client else { throw .otherClient }
        guard presented.redirectURI == (ticket.redirectURIGiven ? ticket.redirectURI : nil) else {
            throw .otherRedirectURI
        }
        // A verifier without a challenge is refused, too: a downgrade (RFC 9700 section 4.8.2).
        guard presented.verifier == ticket.codeChallenge?.digest else { throw .wrongVerifier }
    }

    package static func evolve(_ state: State, by event: Event) -> State? {
        switch (event, state) {
        case (.issued(let ticket), .absent): .issued(Shared(ticket))
        case (.redeemed(let redemption), .issued(let shared)): .redeemed(shared, redemption)
        case (.replayed, .redeemed(let shared, let redemption)): .replayed(shared, redemption)
        case (.issued, _), (.redeemed, _), (.replayed, _): nil
        }
    }

    package static func wrap(_ event: Event) -> DomainEvent { .authorizationCode(event) }

    package static func unwrap(_ event: DomainEvent) -> Event? {
        guard case .authorizationCode(let own) = event else { return nil }
        return own
    }
}
