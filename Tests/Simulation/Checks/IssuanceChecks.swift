import Domain
import EventFormat
import Issuing
import Persistence

/// What an issuance must hold, by WireContract 9.7 and the guards of Events 8:
/// invariant I9.
///
/// A stream is held by a command that guards it, or appends to it.
struct IssuanceChecks {
    /// What an event rests on.
    private struct Grounds {
        var subject: SubjectID?
        /// The session that it belongs to, and those above it whose ends are its own.
        var sources: [StreamID] = []
        var browsers: [SessionID] = []
        /// What the clients were let in by.
        var consents: [StreamID] = []
        /// Somebody showed a token that a key of the project has signed (decision 0119).
        var believesToken = false
    }

    /// The stream of the project's configuration.
    var configuration = StreamID(high: 0, low: 0)
    /// The stream of its keys; nil while there is none.
    var ring: StreamID?
    /// The clients whose sessions take with them those they let in.
    var cascading: Set<ClientID> = []
    /// The stream of a user's consent; nil for a client that needs none.
    var consent: (SubjectID, ClientID) -> StreamID? = { _, _ in nil }
    /// Whether the project is suspended, by the log.
    private var isSuspended = false
    private var openings: [StreamID: OfflineGrant.Opening] = [:]
    private var tickets: [StreamID: AuthorizationCode.Ticket] = [:]
    private var links: [StreamID: LoginLink.Request] = [:]
    private var keys: [StreamID: SubjectID] = [:]
    private var urls: [StreamID: SessionID] = [:]

    mutating func follow(_ body: DomainEvent, on stream: StreamID) {
        switch body {
        case .offlineGrant(.opened(let opening)): openings[stream] = opening
        case .authorizationCode(.issued(let ticket)): tickets[stream] = ticket
        case .loginLink(.requested(let request)): links[stream] = request
        case .biometricKey(.enabled(let key)): keys[stream] = key.subject
        case .preAuthenticatedURL(.issued(let ticket)): urls[stream] = ticket.session
        case .signingKey: ring = stream
        case .projectConfig(.suspended): isSuspended = true
        case .projectConfig(.resumed): isSuspended = false
        default: break
        }
    }

    /// Whose session it is, by the log.
    func subject(of session: SessionID) -> SubjectID? { openings[session.stream]?.subject }

    /// After all of the command's events were followed.
    func check(
        _ command: EncodedCommand,
        _ bodies: [(stream: StreamID, body: DomainEvent)],
        _ broken: (String, String) -> Void
    ) {
        let held = Set(command.guards.map(\.stream) + command.streams)
        for (index, (stream, body)) in bodies.enumerated() {
            let session = command.rows[index].event.columns.session
            guard let grounds = grounds(of: body, on: stream, in: session, beside: bodies) else {
                continue
            }
            let type = command.rows[index].event.type
            // From its commit on, on every node (decision 0201).
            if isSuspended { broken("I9", "event \(type) is committed in a suspended project") }
            func require(_ streams: [StreamID], _ what: String) {
                guard !streams.allSatisfy(held.contains) else { return }
                broken("I9", "event \(type) does not hold \(what)")
            }
            require(grounds.subject.map { [$0.stream] } ?? [], "its subject")
            require(grounds.browsers.map(\.stream), "its browser-session")
            require(grounds.sources, "the session it came from")
            require(grounds.consents, "the consent it came by")
            require([configuration], "the project's configuration")
            if grounds.believesToken { require(ring.map { [$0] } ?? [], "the project's keys") }
        }
    }

    /// Nil for what issues nothing.
    private func grounds(
        of body: DomainEvent,
        on stream: StreamID,
        in session: SessionID?,
        beside bodies: [(stream: StreamID, body: DomainEvent)]
    ) -> Grounds? {
        switch body {
        case .loginLink(.approved): return Grounds(subject: links[stream]?.subject)
        case .authorization(.authenticated(let login)):
            var grounds = Grounds(subject: login.subject)
            grounds.browsers = [login.browserSession].compactMap(\.self)
            grounds.sources = [login.continuation?.session.stream].compactMap(\.self)
            return grounds
        case .authorizationCode(.issued(let ticket)):
            // Nobody asked for those that are in the log from the start.
            return bodies.contains { Self.asksForCode($0.body) } ? self.grounds(of: ticket) : nil
        case .authorizationCode(.redeemed(let redemption)):
            guard var grounds = tickets[stream].map(self.grounds(of:)) else { return nil }
            grounds.sources.append(redemption.grant.stream)
            return grounds
        case .offlineGrant(let event): return grounds(of: event, on: stream, beside: bodies)
        case .biometricKey(.enabled(let key)):
            // Who has a key logs in for good: it is given to a session, and to a token of it.
            var grounds = session.map { self.grounds(ofSession: $0.stream) } ?? Grounds()
            grounds.subject = key.subject
            grounds.believesToken = true
            return grounds
        case .biometricKey(.used(_, let session, _)):
            return Grounds(subject: keys[stream], sources: [session.stream])
        case .preAuthenticatedURL(let event):
            guard let session = urls[stream] else { return nil }
            var grounds = self.grounds(ofSession: session.stream)
            grounds.believesToken = true
            if case .consumed = event { grounds.sources.append(stream) }
            return grounds
        case .subject, .loginID, .loginLink, .authorization, .browserSession, .authorizationCode,
            .biometricKey, .consent, .spent, .signingKey, .projectConfig:
            return nil
        }
    }

    private static func asksForCode(_ body: DomainEvent) -> Bool {
        switch body {
        case .authorization(.completed), .offlineGrant(.app2appApproved), .biometricKey(.used):
            true
        default: false
        }
    }

    private func grounds(of ticket: AuthorizationCode.Ticket) -> Grounds {
        var grounds = Grounds(subject: ticket.subject)
        grounds.browsers = [ticket.browserSession].compactMap(\.self)
        grounds.consents = [consent(ticket.subject, ticket.client)].compactMap(\.self)
        for session in [ticket.owner, ticket.continuation?.session].compactMap(\.self) {
            let above = self.grounds(ofSession: session.stream)
            grounds.sources += above.sources
            grounds.browsers += above.browsers
            grounds.consents += above.consents
        }
        return grounds
    }

    private func grounds(
        of event: OfflineGrant.Event,
        on stream: StreamID,
        beside bodies: [(stream: StreamID, body: DomainEvent)]
    ) -> Grounds? {
        var grounds = grounds(ofSession: stream)
        switch event {
        case .opened(let opening):
            // Whether or not its end is this one's, too: it lets somebody in now.
            if let owner = opening.owner { grounds.sources.append(owner.stream) }
        case .accessTokenIssued(let issue): grounds.believesToken = issue.via == .nativeSSO
        case .refreshTokenIssued, .refreshed, .retried, .reauthenticated, .app2appApproved,
            .deviceSecretIssued, .clientJoined, .urlIssued:
            break
        case .reuseDetected, .revoked, .accessTokenRevoked, .deviceKeyBound, .deviceSecretUsed,
            .deviceSecretRevoked, .deviceLinked, .clientLeft:
            return nil
        }
        return grounds
    }

    /// A session with all that it ends with.
    private func grounds(ofSession stream: StreamID) -> Grounds {
        var grounds = Grounds(subject: openings[stream]?.subject)
        var next: StreamID? = stream
        while let current = next {
            grounds.sources.append(current)
            guard let opening = openings[current] else { break }
            grounds.browsers += [opening.browserSession].compactMap(\.self)
            grounds.consents += [consent(opening.subject, opening.client)].compactMap(\.self)
            guard let owner = opening.owner, let client = openings[owner.stream]?.client,
                cascading.contains(client)
            else { break }
            next = owner.stream
        }
        return grounds
    }
}
