package import Domain

/// What a browser carries of a session that an app has vouched for (WireContract 8.1).
package struct AppSession: Hashable, Sendable {
    /// How the browser came by it.
    package enum Origin: UInt8, Hashable, Sendable, CaseIterable {
        /// A pre-authenticated URL: other clients may go on with it (WireContract 4.3).
        case url = 1
        /// An app-session token: our own pages (WireContract 9.6).
        case token = 2
    }

    package var session: SessionID
    /// The client it was opened for.
    package var client: ClientID
    package var origin: Origin
    /// What the URL was made for: another client may go on with no more.
    package var scope: Scope
    /// A client that has left since, and come again, is not the one that opened this browser.
    package var issuedAt: Instant
    package var expiresAt: Instant
    /// Whether the user has pressed *continue* in this browser: then other clients need not ask
    /// again.
    package var isConfirmed: Bool

    package init(
        session: SessionID,
        client: ClientID,
        origin: Origin,
        scope: Scope,
        issuedAt: Instant,
        expiresAt: Instant,
        isConfirmed: Bool = false
    ) {
        self.session = session
        self.client = client
        self.origin = origin
        self.scope = scope
        self.issuedAt = issuedAt.wholeMilliseconds
        self.expiresAt = expiresAt.wholeMilliseconds
        self.isConfirmed = isConfirmed
    }
}
