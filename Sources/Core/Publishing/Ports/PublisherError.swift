/// Why nothing was published.
package enum PublisherError: Error, Hashable, Sendable {
    /// Brokers are away; the same call may succeed later.
    case unavailable
    /// The producer cannot keep its promises any more: a new one, from the cursor.
    case broken
    /// An operator has to act; the text says why.
    case refused(String)
}
