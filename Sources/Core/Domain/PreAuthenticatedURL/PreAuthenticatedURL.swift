/// A single-use token that opens a web client's session from an app's (Events 8.9).
package enum PreAuthenticatedURL {
    package enum State: Hashable, Sendable {
        case absent, consumed
        case issued(Ticket)
    }

    package struct Ticket: Hashable, Sendable {
        package var session: SessionID
        /// The web client.
        package var client: ClientID
        package var scope: Scope
        package var secret: TokenDigest
        package var expiresAt: Instant

        package init(
            session: SessionID,
            client: ClientID,
            scope: Scope,
            secret: TokenDigest,
            expiresAt: Instant
        ) {
            self.session = session
            self.client = client
            self.scope = scope
            self.secret = secret
            self.expiresAt = expiresAt
        }
    }

    /// What the browser brings, and the access token it is to get.
    package struct Opening: Hashable, Sendable {
        package var secret: TokenDigest
        package var client: ClientID
        /// Of the id token hint.
        package var session: SessionID
        package var token: TokenID
        package var tokenExpiresAt: Instant
        package var at: Instant

        package init(
            secret: TokenDigest,
            client: ClientID,
            session: SessionID,
            token: TokenID,
            tokenExpiresAt: Instant,
            at: Instant
        ) {
            self.secret = secret
            self.client = client
            self.session = session
            self.token = token
            self.tokenExpiresAt = tokenExpiresAt
            self.at = at
        }
    }

    package enum Command: Sendable {
        case issue(Ticket)
        case open(Opening)
    }

    package enum Event: Hashable, Sendable {
        case issued(Ticket)
        /// For this access token.
        case consumed(TokenID, expiresAt: Instant)
    }

    package enum Rejection: Error {
        case alreadyIssued, unknown, otherClient, otherSession, expired, consumed
    }
}
