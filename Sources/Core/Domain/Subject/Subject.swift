/// A user (Events 8.1); its stream id is `sub`.
package enum Subject {
    package enum State: Hashable, Sendable {
        case absent
        case active(Shared<Profile>)
        case disabled(Shared<Profile>)
        /// Final.
        case erased
    }

    package struct Profile: Hashable, Sendable {
        package var email: Sealed
        package var emailVerified: Bool
        package var registeredAt: Instant
        /// Of the newest change of address or claims: `updated_at` at userinfo.
        package var updatedAt: Instant
        /// When the user was enabled last, if ever: a link of before logs nobody in.
        package internal(set) var enabledAt: Instant?

        package init(
            email: Sealed,
            emailVerified: Bool,
            registeredAt: Instant,
            updatedAt: Instant,
            enabledAt: Instant? = nil
        ) {
            self.email = email
            self.emailVerified = emailVerified
            self.registeredAt = registeredAt
            self.updatedAt = updatedAt
            self.enabledAt = enabledAt
        }
    }

    package enum Source: String, Hashable, Sendable, CaseIterable {
        case loginLink = "login_link"
        case `operator`
        case `import`
    }

    package enum DisableReason: String, Hashable, Sendable, CaseIterable {
        case `operator`
    }

    package enum Command: Sendable {
        case register(source: Source, email: Sealed, emailVerified: Bool, at: Instant)
        case disable(DisableReason)
        case enable(at: Instant)
        case erase
    }

    package enum Event: Hashable, Sendable {
        case registered(source: Source, email: Sealed, emailVerified: Bool, at: Instant)
        case disabled(DisableReason)
        case enabled(at: Instant)
        case erased
    }

    package enum Rejection: Error { case alreadyRegistered, unknown, erased }
}
