/// Why a relay publishes nothing until somebody acts.
package enum RelayHalt: Hashable, Sendable {
    /// PostgreSQL lost what Kafka has shown others (Events 12); the first lost number.
    case lostHistory(index: Int64)
    /// An event cannot be published: written by a newer version, or damaged.
    case unpublishable(LogPosition, reason: String)
    /// A row cannot be read.
    case unreadable(String)
    /// Kafka refuses: rights, a missing topic.
    case refused(String)
    /// Transaction numbers began again below the cursor, as in a cluster that a dump was restored
    /// into: what is written there would never be read (Events 12).
    case numbersBeganAgain(next: UInt64, published: UInt64)
}

extension RelayHalt: CustomStringConvertible {
    /// What an operator reads.
    package var description: String {
        switch self {
        case .lostHistory(let index): "PostgreSQL lost what Kafka shows, from number \(index) on"
        case .unpublishable(let place, let reason):
            "the event at \(place) cannot be published: \(reason)"
        case .unreadable(let reason): "a row cannot be read: \(reason)"
        case .refused(let reason): "Kafka refuses: \(reason)"
        case .numbersBeganAgain(let next, let published):
            "transaction numbers began again at \(next), below \(published), the last published"
        }
    }

    /// What an operator does about it; the relay looks again by itself.
    package var next: String {
        switch self {
        case .lostHistory:
            "bring back what the server lost, from a standby that has it; of a restore to an "
                + "earlier moment see Production.md, Backups"
        case .unpublishable, .unreadable:
            "start the newest program that an issuer runs; if this one is, look for damage at the "
                + "place it names, and ask its makers"
        case .refused:
            "chancery doctor says what is wrong with the topic; look at the relay's rights on it"
        case .numbersBeganAgain: "raise the epoch of the log (Production.md, Backups)"
        }
    }
}
