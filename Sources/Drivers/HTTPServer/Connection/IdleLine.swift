internal import Runtime

/// The connections of one loop that wait for a request, who has waited longest first.
///
/// Each knows its neighbours, so that to come, to go and to find the first cost the same however
/// many stand here.
struct IdleLine {
    /// Where a connection stands, and since when.
    struct Place {
        fileprivate var before: Connection?
        fileprivate var after: Connection?
        fileprivate let since: MonotonicInstant
    }

    private var first: Connection?
    private var last: Connection?

    /// Who has stood here longest, if that is at least `time`.
    func longest(after time: Duration, at now: MonotonicInstant) -> Connection? {
        guard let first, let place = first.idlePlace, now.since(place.since) >= time else {
            return nil
        }
        return first
    }

    /// Puts `connection` at the end, also when it stood further in front.
    mutating func join(_ connection: Connection, at now: MonotonicInstant) {
        leave(connection)
        connection.idlePlace = Place(before: last, after: nil, since: now)
        if let last { last.idlePlace?.after = connection } else { first = connection }
        last = connection
    }

    /// Twice is harmless.
    mutating func leave(_ connection: Connection) {
        guard let place = connection.idlePlace else { return }
        connection.idlePlace = nil
        if let before = place.before {
            before.idlePlace?.after = place.after
        } else {
            first = place.after
        }
        if let after = place.after {
            after.idlePlace?.before = place.before
        } else {
            last = place.before
        }
    }
}
