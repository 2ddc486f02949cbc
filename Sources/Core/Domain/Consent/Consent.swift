/// What a user has allowed a client (Events 8.10).
package enum Consent {
    package enum State: Hashable, Sendable {
        case absent
        case given(ClientID, Scope)
        case withdrawn
    }

    package enum Withdrawer: String, Hashable, Sendable, CaseIterable {
        case user, `operator`, erasure
    }

    package enum Command: Sendable {
        /// Adds to what was given before; nothing new is `[]`.
        case give(ClientID, Scope)
        case withdraw(by: Withdrawer)
    }

    package enum Event: Hashable, Sendable {
        /// The whole set from now on.
        case given(ClientID, Scope)
        case withdrawn(ClientID, by: Withdrawer)
    }

    package enum Rejection: Error { case notGiven }
}
