package import Domain

/// Why the log did not answer.
package enum StoreError: Error, Hashable {
    /// A stream or guard is at another version than the command saw.
    case conflict
    /// No database, no room in a queue, or no time left; nothing of the command is in.
    case unavailable
    /// The answer was lost and could not be found out: perhaps the command is in.
    case outcomeUnknown
    /// A stream holds an event that cannot follow, or one this program does not know.
    case corrupt(StreamID, version: Int32)
}
