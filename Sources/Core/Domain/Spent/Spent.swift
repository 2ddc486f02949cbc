/// An artefact that was used and may not be used again (Events 8.11).
package enum Spent {
    package enum State: Hashable, Sendable { case unspent, spent }

    package enum Purpose: String, Hashable, Sendable, CaseIterable {
        case challenge, dpop
        case clientAssertion = "client_assertion"
        case appSession = "app_session"
    }

    package enum Command: Sendable { case spend(Purpose, expiresAt: Instant) }

    package enum Event: Hashable, Sendable { case spent(Purpose, expiresAt: Instant) }

    package enum Rejection: Error { case alreadySpent }
}
