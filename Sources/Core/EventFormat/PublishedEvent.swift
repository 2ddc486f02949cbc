package import Domain

/// An event as a reader of Kafka has it: with blanks where something was kept back.
///
/// Digests are zero, seals and texts empty, flags false: enough for a projection, which looks at
/// published members only, and never enough for a decision.
package struct PublishedEvent: Hashable, Sendable {
    /// The log it is of: indexes of different logs have nothing to do with each other.
    package var log: StreamID
    package var hash: EventHash
    /// Its stream and version are zero for a login-id, which are not published.
    package var event: RecordedEvent

    package init(log: StreamID, hash: EventHash, event: RecordedEvent) {
        self.log = log
        self.hash = hash
        self.event = event
    }
}
