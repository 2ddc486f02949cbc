internal import Domain

extension Commit {
    /// Where it came from, when that is kept (decision 0229): for what an operator orders, and for
    /// what a thief may have done.
    ///
    /// Not for what follows from an order, which has a context of its own. A code that comes again
    /// names the redemption that it repeats as its cause, and comes from somewhere else.
    var context: RequestContext? {
        guard let source = attributes.correlation?.source, let at = streams.first?.occurredAt
        else { return nil }
        let isOperators = if case .operator = attributes.actor { true } else { false }
        let isOrder = isOperators && attributes.cause == nil
        guard isOrder || mayBeOfThief else { return nil }
        return RequestContext(
            command: command,
            project: project,
            // An operator's network says nothing about whom the order is about.
            subject: isOrder ? nil : attributes.subject,
            at: at,
            network: source.network,
            userAgent: source.userAgent
        )
    }

    private var mayBeOfThief: Bool {
        // By places: a loop over the elements counts references to all that is in each.
        let streams = streams.span
        return streams.indices.contains { streams[$0].events.contains(where: \.mayBeOfThief) }
    }
}

extension DomainEvent {
    /// A spent secret that comes again, a wrong signature, and a key that lets a phone in from now
    /// on.
    fileprivate var mayBeOfThief: Bool {
        switch self {
        case .offlineGrant(.reuseDetected), .authorizationCode(.replayed),
            .biometricKey(.verificationFailed), .biometricKey(.enabled):
            true
        default: false
        }
    }
}
