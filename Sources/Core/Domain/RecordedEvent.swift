/// An event as the log has it: the fact, and where and when it stands (Events 1).
package struct RecordedEvent: Hashable, Sendable {
    /// Place in the published order, dense from 0; nil until the relay has numbered it.
    package var logIndex: Int64?
    package var project: ProjectNumber
    package var stream: StreamID
    /// 1, 2, 3 … without gaps.
    package var version: Int32
    /// Time of decision; never earlier than the previous event of the stream.
    package var occurredAt: Instant
    package var subject: SubjectID?
    package var session: SessionID?
    package var body: DomainEvent

    package init(
        logIndex: Int64? = nil,
        project: ProjectNumber,
        stream: StreamID,
        version: Int32,
        occurredAt: Instant,
        subject: SubjectID? = nil,
        session: SessionID? = nil,
        body: DomainEvent
    ) {
        self.logIndex = logIndex
        self.project = project
        self.stream = stream
        self.version = version
        self.occurredAt = occurredAt
        self.subject = subject
        self.session = session
        self.body = body
    }
}
