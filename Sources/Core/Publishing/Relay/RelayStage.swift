/// A part of an event's way from its commit to Kafka, as the relay sees it.
package enum RelayStage: String, CaseIterable, Sendable {
    /// Asking PostgreSQL for the rows that are final.
    case read
    /// From handing a batch to the producer until every replica has all of it.
    case acknowledge
    /// Keeping numbers and cursor, in one transaction.
    case record
}
