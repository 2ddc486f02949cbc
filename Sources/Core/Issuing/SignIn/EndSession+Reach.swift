extension EndSession {
    /// How far a logout goes, for its page.
    package enum Reach: Hashable, Sendable {
        /// The login, and all that came from it.
        case everything
        /// What this client, by its name, has of the session that another opened (decision 0109).
        case client(String)
        /// This browser, which the apps of these names let in; they stay (decision 0093).
        case browser([String])
    }
}
