package import Domain

/// The columns of a row that carry a part of its event (Events 1).
package struct StoredColumns: Hashable, Sendable {
    package var occurredAt: Instant
    package var subject: SubjectID?
    package var session: SessionID?
    /// Key of the client: a keyed hash of its id; the id's text is in the payload.
    package var client: StreamID?

    package init(
        occurredAt: Instant,
        subject: SubjectID? = nil,
        session: SessionID? = nil,
        client: StreamID? = nil
    ) {
        self.occurredAt = occurredAt
        self.subject = subject
        self.session = session
        self.client = client
    }
}
