package import Domain

extension RecordedSessions {
    /// What several events of one session, in order, change in its row: one write for all of them.
    package struct Patch: Hashable, Sendable {
        package let session: SessionID
        /// The new row, when the opening is among the events.
        package private(set) var opening: Session?
        /// The version of the last of them.
        package private(set) var version: Int32
        package private(set) var seenAt: Instant?
        package private(set) var endedAt: Instant?
        /// Set with `endedAt`.
        package private(set) var reason: String?

        /// Begins with the first change.
        package init(_ change: Change) {
            session = change.session
            version = change.version
            add(change)
        }

        /// Adds the next change of the same session.
        package mutating func add(_ change: Change) {
            version = change.version
            switch change {
            case .open(let row): opening = row
            case .see(_, _, let at): seenAt = at
            case .end(_, _, let at, let reason):
                endedAt = at
                self.reason = reason
            case .advance: break
            }
        }
    }
}

extension RecordedSessions.Change {
    /// Whose row it changes.
    package var session: SessionID {
        switch self {
        case .open(let row): row.session
        case .see(let session, _, _), .end(let session, _, _, _), .advance(let session, _): session
        }
    }

    /// The version of the event it comes from.
    package var version: Int32 {
        switch self {
        case .open(let row): row.version
        case .see(_, let version, _), .end(_, let version, _, _), .advance(_, let version): version
        }
    }
}
