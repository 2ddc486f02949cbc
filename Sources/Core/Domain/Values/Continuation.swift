/// A session of an app that its user's browser goes on with (WireContract 4.3 and 8.1).
package struct Continuation: Hashable, Sendable {
    package var session: SessionID
    /// The web client that the app opened the browser for: what joins is one step below it.
    package var host: ClientID
    /// When the browser got its view of the session: a later stay of the host is none of it.
    package var since: Instant?

    package init(session: SessionID, host: ClientID, since: Instant? = nil) {
        self.session = session
        self.host = host
        self.since = since
    }
}
