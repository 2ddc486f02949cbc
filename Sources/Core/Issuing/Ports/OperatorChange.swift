package import Domain

/// One event of a stream as an operator remembers it.
package struct OperatorChange: Hashable, Sendable {
    /// Its place in the stream, from 1.
    package var version: Int32
    package var at: Instant
    package var event: DomainEvent
    /// The operator; nil when a client, a user or the system did it.
    package var operatorName: String?
    package var reason: String?

    package init(
        version: Int32,
        at: Instant,
        event: DomainEvent,
        operatorName: String?,
        reason: String?
    ) {
        self.version = version
        self.at = at
        self.event = event
        self.operatorName = operatorName
        self.reason = reason
    }
}
