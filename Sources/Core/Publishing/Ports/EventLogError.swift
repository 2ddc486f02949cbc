/// Why the log did not do what the relay asked.
package enum EventLogError: Error, Hashable, Sendable {
    /// The session is gone, and with it the lead; nobody knows whether the last change is in.
    case unavailable
    /// Another relay has the lead: this process is of no use any more.
    case fenced
    /// A row that this program cannot read; the text says which and why.
    case unreadable(String)
}
