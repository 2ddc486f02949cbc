/// The five characters by which PostgreSQL names a condition (PostgreSQL appendix A).
package struct SQLState: Hashable, Sendable, CustomStringConvertible {
    /// The characters, ASCII.
    package let text: String

    /// Takes five characters, such as "40001".
    package init(_ text: String) { self.text = text }

    /// The same text.
    package var description: String { text }

    /// 40001: a serialisation failure, or `es.append` made no progress; nothing is in.
    package static let serializationFailure = Self("40001")
    /// 40P01: a deadlock was broken by ending this transaction.
    package static let deadlockDetected = Self("40P01")
    /// 55P03: `lock_timeout` passed.
    package static let lockNotAvailable = Self("55P03")
    /// 57014: `statement_timeout` passed, or somebody cancelled.
    package static let queryCanceled = Self("57014")
    /// 53300: the server, the database or the role has as many as it may.
    package static let tooManyConnections = Self("53300")
    /// 42501: the role may not do this.
    package static let insufficientPrivilege = Self("42501")
    /// 0A000: also told when a prepared statement's result has changed its shape.
    package static let featureNotSupported = Self("0A000")
    /// 26000: the prepared statement is not there.
    package static let unknownStatement = Self("26000")

    /// True when the whole transaction is out and the same call may succeed at once.
    package var isRetryable: Bool {
        self == .serializationFailure || self == .deadlockDetected || self == .lockNotAvailable
    }

    /// A server that answers refuses for good, such as a role that is not there, unless it stops,
    /// starts, takes too long, or takes no more connections (classes 57 and 53).
    var mayPass: Bool { text.hasPrefix("57") || text.hasPrefix("53") || isRetryable }
}
