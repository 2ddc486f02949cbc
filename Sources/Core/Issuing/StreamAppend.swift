package import Domain

/// New events of one stream, and what they continue.
package struct StreamAppend: Sendable {
    package var stream: StreamID
    package var kind: AggregateKind
    /// The version the command saw; 0 for a new stream.
    package var expected: Int32
    /// Which of its store's servers the command saw it at.
    package var server: Int
    package var previousHash: EventHash?
    package var occurredAt: Instant
    package var events: [DomainEvent]
    /// The user whose stream it is, if its commit is about another: a login may end the session of
    /// somebody else.
    package var owner: SubjectID?
    /// The aggregate's `State` after `events`, for the cache; nil if a fold of the log would reach
    /// another, because the time of the events was not known yet when they were decided.
    package var stateAfter: (any Sendable)?

    package init(
        stream: StreamID,
        kind: AggregateKind,
        expected: Int32,
        server: Int = 0,
        previousHash: EventHash?,
        occurredAt: Instant,
        events: [DomainEvent],
        owner: SubjectID? = nil,
        stateAfter: (any Sendable)?
    ) {
        self.stream = stream
        self.kind = kind
        self.expected = expected
        self.server = server
        self.previousHash = previousHash
        self.occurredAt = occurredAt
        self.events = events
        self.owner = owner
        self.stateAfter = stateAfter
    }

    /// What its append compares the stream with.
    package var guardian: StreamGuard {
        StreamGuard(stream: stream, version: expected, server: server)
    }

    /// The subject that its events belong to, in a commit with these attributes (Events 1).
    package func subject(in attributes: EventAttributes) -> SubjectID? {
        if let owner { return owner }
        return kind == .subject ? SubjectID(stream) : attributes.subject
    }

    /// The client that its events belong to where they name none.
    package func client(in attributes: EventAttributes) -> ClientID? {
        owner == nil ? attributes.client : nil
    }

    /// The session that its events belong to, in a commit with these attributes (Events 1).
    ///
    /// A session's own events are its own, whichever else the commit is about: a login ends the
    /// session before it.
    package func session(in attributes: EventAttributes) -> SessionID? {
        switch kind {
        case .offlineGrant: SessionID(stream)
        case .browserSession where owner != nil: SessionID(stream)
        case .browserSession: attributes.session ?? SessionID(stream)
        case .subject, .loginID, .loginLink, .authorization, .authorizationCode, .biometricKey,
            .preAuthenticatedURL, .consent, .spent, .signingKey, .projectConfig:
            attributes.session
        }
    }
}
