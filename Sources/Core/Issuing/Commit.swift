package import Domain

/// One command's events over one or several streams: all are taken, or none (events.md section 3).
package struct Commit: Sendable {
    package static let eventsMax = 64
    package static let streamsMax = 64
    package static let guardsMax = 8

    package var command: CommandID
    package var project: ProjectNumber
    package var attributes: EventAttributes
    package var streams: [StreamAppend]
    package var guards: [StreamGuard]

    package init(
        command: CommandID,
        project: ProjectNumber,
        attributes: EventAttributes,
        streams: [StreamAppend],
        guards: [StreamGuard]
    ) {
        self.command = command
        self.project = project
        self.attributes = attributes
        self.streams = streams
        self.guards = guards
    }
}

/// New events of one stream, and what they continue.
package struct StreamAppend: Sendable {
    package var stream: StreamID
    package var kind: AggregateKind
    /// The version the command saw; 0 for a new stream.
    package var expected: Int32
    package var previousHash: EventHash?
    package var occurredAt: Instant
    package var events: [DomainEvent]
    /// The aggregate's `State` after `events`, for the cache.
    package var stateAfter: any Sendable

    package init(
        stream: StreamID,
        kind: AggregateKind,
        expected: Int32,
        previousHash: EventHash?,
        occurredAt: Instant,
        events: [DomainEvent],
        stateAfter: any Sendable
    ) {
        self.stream = stream
        self.kind = kind
        self.expected = expected
        self.previousHash = previousHash
        self.occurredAt = occurredAt
        self.events = events
        self.stateAfter = stateAfter
    }
}

/// "This stream is still at this version", without writing to it (architecture.md section 8.8).
package struct StreamGuard: Hashable, Sendable {
    package var stream: StreamID
    package var version: Int32

    package init(stream: StreamID, version: Int32) {
        self.stream = stream
        self.version = version
    }
}

/// The columns and metadata that all events of a command share (events.md section 1).
package struct EventAttributes: Hashable, Sendable {
    package var actor: Actor
    package var subject: SubjectID?
    package var client: ClientID?
    package var session: SessionID?
    /// Why an operator did it, at most 200 bytes.
    package var reason: String?
    /// The request this belongs to.
    package var correlation: StreamID?
    /// Whose sealing key the payload's sealed members are under.
    package var seal: StreamID?
    package var traceparent: String?

    /// Who gave the command.
    package enum Actor: Hashable, Sendable {
        case subject(SubjectID)
        case client(ClientID)
        case `operator`(name: String)
        case system
    }

    package init(actor: Actor, correlation: StreamID? = nil) {
        self.actor = actor
        self.correlation = correlation
    }
}
