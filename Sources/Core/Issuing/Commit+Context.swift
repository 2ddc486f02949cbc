internal import Domain

extension Commit {
    /// Where it came from, when that is kept (decision 0229): of what an operator orders, and of
    /// what may be a thief's.
    ///
    /// Not of what follows from something that was recorded before, which has its own.
    var context: RequestContext? {
        guard let source = attributes.correlation?.source, attributes.cause == nil,
            let at = streams.first?.occurredAt
        else { return nil }
        let isOrder = if case .operator = attributes.actor { true } else { false }
        guard isOrder || mayBeOfThief else { return nil }
        return RequestContext(
            command: command,
            project: project,
            // An operator's network is none of whom the order is about.
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
    /// What was spent and comes again, what is signed wrongly, and what lets a phone in from now
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
