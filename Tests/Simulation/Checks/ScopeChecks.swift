import Domain

/// What is given for a code, or by a URL, is for its client and within its scope, and so are these
/// themselves within what they came from; by the log alone: I7, and I2 of whom it is for.
struct ScopeChecks {
    private var codes: [StreamID: AuthorizationCode.Ticket] = [:]
    private var urls: [StreamID: PreAuthenticatedURL.Ticket] = [:]
    private var sessions: [StreamID: OfflineGrant.Opening] = [:]

    /// `bodies`: of one command.
    mutating func follow(
        _ bodies: [(stream: StreamID, body: DomainEvent)],
        _ broken: (String, String) -> Void
    ) {
        for (stream, body) in bodies {
            switch body {
            case .authorizationCode(.issued(let ticket)): codes[stream] = ticket
            case .preAuthenticatedURL(.issued(let ticket)): urls[stream] = ticket
            case .offlineGrant(.opened(let opening)): sessions[stream] = opening
            default: break
            }
        }
        for (stream, body) in bodies {
            switch body {
            case .authorizationCode(.issued(let ticket)):
                check(ticket.scope, within: ticket.owner, "a code has more than its owner", broken)
            case .preAuthenticatedURL(.issued(let ticket)):
                check(ticket.scope, within: ticket.session, "a URL has more than its app", broken)
            case .authorizationCode(.redeemed(let redemption)):
                guard let ticket = codes[stream] else { continue }
                check(bodies, in: redemption.grant.stream, by: ticket, broken)
            case .preAuthenticatedURL(.consumed(let token, _)):
                guard let ticket = urls[stream] else { continue }
                check(bodies, token, by: ticket, broken)
            default: break
            }
        }
    }

    /// Nil: it came from no session.
    private func check(
        _ scope: Scope,
        within session: SessionID?,
        _ sentence: String,
        _ broken: (String, String) -> Void
    ) {
        guard let opening = session.flatMap({ sessions[$0.stream] }) else { return }
        if !scope.isSubset(of: opening.scope) { broken("I7", sentence) }
    }

    private func check(
        _ bodies: [(stream: StreamID, body: DomainEvent)],
        in session: StreamID,
        by ticket: AuthorizationCode.Ticket,
        _ broken: (String, String) -> Void
    ) {
        for (stream, body) in bodies where stream == session {
            guard case .offlineGrant(let event) = body, let given = Self.given(event) else {
                continue
            }
            if given.client != ticket.client {
                broken("I2", "a code gave something to a client that it is not of")
            }
            if !given.scope.isSubset(of: ticket.scope) {
                broken("I7", "a code gave \(given.scope.text), and is of \(ticket.scope.text)")
            }
            if case .opened(let opening) = event, opening.subject != ticket.subject {
                broken("I2", "a code opened a session of somebody else")
            }
        }
    }

    private func check(
        _ bodies: [(stream: StreamID, body: DomainEvent)],
        _ token: TokenID,
        by ticket: PreAuthenticatedURL.Ticket,
        _ broken: (String, String) -> Void
    ) {
        for (stream, body) in bodies {
            guard case .offlineGrant(.accessTokenIssued(let issue)) = body, issue.token == token
            else { continue }
            if stream != ticket.session.stream || issue.client != ticket.client {
                broken("I2", "a URL opened what it is not of")
            }
            if !issue.scope.isSubset(of: ticket.scope) {
                broken("I7", "a URL gave \(issue.scope.text), and is of \(ticket.scope.text)")
            }
        }
    }

    /// Nil for what gives nothing.
    private static func given(_ event: OfflineGrant.Event) -> (client: ClientID, scope: Scope)? {
        switch event {
        case .opened(let opening): (opening.client, opening.scope)
        case .refreshTokenIssued(let issue, _): (issue.client, issue.scope)
        case .accessTokenIssued(let issue): (issue.client, issue.scope)
        case .clientJoined(let joined): (joined.client, joined.scope)
        case .refreshed, .retried, .reuseDetected, .revoked, .accessTokenRevoked,
            .reauthenticated, .deviceKeyBound, .app2appApproved, .deviceSecretIssued,
            .deviceSecretUsed, .deviceSecretRevoked, .deviceLinked, .clientLeft, .urlIssued:
            nil
        }
    }
}
