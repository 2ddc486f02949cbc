/// A place in the log, in the order the relay publishes.
///
/// Not the insertion number alone: a transaction with a lower number can commit later, and a
/// cursor on it loses events (Events 9.4).
package struct LogPosition: Hashable, Comparable, Sendable {
    /// Raised when transaction ids restart.
    package var epoch: Int16
    /// The transaction.
    package var xid: UInt64
    /// The insertion number, unique within the transaction.
    package var position: Int64

    /// Names a place.
    package init(epoch: Int16, xid: UInt64, position: Int64) {
        self.epoch = epoch
        self.xid = xid
        self.position = position
    }

    /// Before every row of `epoch`.
    package static func start(of epoch: Int16) -> Self { Self(epoch: epoch, xid: 0, position: 0) }

    /// Orders by epoch, then transaction, then insertion.
    package static func < (left: Self, right: Self) -> Bool {
        (left.epoch, left.xid, left.position) < (right.epoch, right.xid, right.position)
    }
}
