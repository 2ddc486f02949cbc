package import Domain

/// A stream's state with the version, hash and time a next append continues from.
package struct Loaded<A: Aggregate>: Sendable {
    package let stream: StreamID
    /// Whose it is; nil for a new stream.
    package let project: ProjectNumber?
    /// 0: the stream does not exist yet.
    package var version: Int32
    /// Which of its store's servers it was read from.
    package let server: Int
    /// Of the newest event; nil for a new stream.
    package var hash: EventHash?
    /// Of the newest event.
    package var occurredAt: Instant?
    package var state: A.State
    /// Read from the log or compared with its head during the call, not merely cached.
    package let isCurrent: Bool

    package init(
        stream: StreamID,
        project: ProjectNumber?,
        version: Int32,
        server: Int = 0,
        hash: EventHash?,
        occurredAt: Instant?,
        state: A.State,
        isCurrent: Bool
    ) {
        self.stream = stream
        self.project = project
        self.version = version
        self.server = server
        self.hash = hash
        self.occurredAt = occurredAt
        self.state = state
        self.isCurrent = isCurrent
    }

    /// A stream nobody has written to: its id was drawn just now, or must be new.
    package static func new(_ stream: StreamID) -> Self {
        Self(
            stream: stream,
            project: nil,
            version: 0,
            hash: nil,
            occurredAt: nil,
            state: A.initial,
            isCurrent: true
        )
    }

    /// As `project` may see it: a stream of another project is as one that never was.
    ///
    /// Ids travel in codes, tokens and cookies, and those are sent to any host (Security I2).
    package consuming func seen(from project: ProjectNumber) -> Self {
        if let owner = self.project, owner != project { state = A.initial }
        return self
    }

    package var guardian: StreamGuard {
        StreamGuard(stream: stream, version: version, server: server)
    }
}
